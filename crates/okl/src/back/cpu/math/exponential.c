// Powers of e and 2, and the hyperbolic functions. Polynomials interpolate at Chebyshev nodes, computed with 70 digits
// and rounded to double.

// e^x - 1 = 2^k (e^r - 1) + (2^k - 1) with |r| <= log(2) / 2.
typedef struct okl_reduced {
    double k, r, low;
} okl_reduced;

static inline okl_reduced okl_by_log_2(double x) {
    const double k = okl_whole(x * 0x1.71547652b82fep+0);
    const double high = x - k * 0x1.62e42feep-1, low = k * 0x1.a39ef35793c76p-33;
    const double r = high - low;
    const okl_reduced result = {k, r, (high - r) - low};
    return result;
}

// (e^r - 1 - r) / r^2 - 1/2 for such r: r^2 times its error is below 2^-60.
static inline double okl_exp_tail(double r) {
    double p = 2.0911236630261545e-09;
    p = p * r + 2.510038549551032e-08;
    p = p * r + 2.755728296954995e-07;
    p = p * r + 2.7557268459997064e-06;
    p = p * r + 2.4801587317144498e-05;
    p = p * r + 0.00019841269863053618;
    p = p * r + 0.0013888888888886552;
    p = p * r + 0.008333333333330062;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666669;
    return r * p;
}

// e^r - 1 - r
static inline double okl_exp_rest(double r) {
    return r * r * (0.5 + okl_exp_tail(r));
}

static inline double okl_exp_f64(double x) {
    const double above = x < -750.0 ? -750.0 : x, t = above > 720.0 ? 720.0 : above;
    const okl_reduced at = okl_by_log_2(t);
    const double sum = 1.0 + at.r, lost = (1.0 - sum) + at.r;
    return okl_times_power(sum + (lost + (at.low + okl_exp_rest(at.r))), at.k);
}

static inline double okl_exp2_f64(double x) {
    const double above = x < -1100.0 ? -1100.0 : x, t = above > 1100.0 ? 1100.0 : above;
    const double k = okl_whole(t), r = t - k, high = okl_high_26(r);
    double p = 4.4541068401718915e-10;
    p = p * r + 7.070984300546448e-09;
    p = p * r + 1.0178067252442298e-07;
    p = p * r + 1.321545160506755e-06;
    p = p * r + 1.5252733820815906e-05;
    p = p * r + 0.0001540353042481424;
    p = p * r + 0.0013333558146423204;
    p = p * r + 0.00961812910761865;
    p = p * r + 0.05550410866482158;
    p = p * r + 0.24022650695910075;
    // log(2) is the sum of 0x1.62e42f0p-1, of 26 digits, and 0x1.df473de6af279p-28.
    const double upper = high * 0x1.62e42fp-1, sum = 1.0 + upper, lost = (1.0 - sum) + upper;
    const double lower = r * 0x1.df473de6af279p-26 + (r - high) * 0x1.62e42fp-1;
    return okl_times_power(sum + (lost + (lower + r * r * p)), k);
}

// (e^x - 1) / 4, with more digits than a number has; x is from -700 to 710.
static inline okl_pair okl_quarter_expm1(double x) {
    const okl_reduced at = okl_by_log_2(x);
    const double scale = okl_power_of_two(at.k - 2.0), r = at.r, first = okl_high_26(r);
    // Half of the square is the sum of an exact product and a small one.
    const double rest = (at.low + at.low * r) + (0.5 * (r - first) * (r + first) + r * r * okl_exp_tail(r));
    const okl_pair whole = okl_exact_sum(scale, -0.25), linear = okl_exact_sum(whole.high, scale * r);
    const okl_pair sum = okl_exact_sum(linear.high, scale * (0.5 * first * first));
    const double low = scale * rest + (whole.low + (linear.low + sum.low)), high = sum.high + low;
    const okl_pair result = {high, (sum.high - high) + low};
    return result;
}

static inline double okl_expm1_f64(double x) {
    const double above = x < -40.0 ? -40.0 : x, t = above > 710.0 ? 710.0 : above;
    return okl_magnitude(x) < 0x1p-54 ? x : 4.0 * okl_quarter_expm1(t).high;
}

// With E = e^(2 x) - 1, tanh(x) is E / (E + 2).
static inline double okl_tanh_f64(double x) {
    const double a = okl_magnitude(x), t = a > 22.0 ? 22.0 : a;
    const okl_pair quarter = okl_quarter_expm1(2.0 * t), below = okl_exact_sum(quarter.high, 0.5);
    const double q = quarter.high / below.high;
    const okl_pair back = okl_exact_product(q, below.high);
    const double rest = ((quarter.high - back.high) - back.low) + (quarter.low - q * (below.low + quarter.low));
    return a < 0x1p-28 ? x : okl_with_sign(q + rest / below.high, x);
}

// With E = e^x - 1, sinh(x) is (E + E / (E + 1)) / 2.
static inline double okl_sinh_f64(double x) {
    const double a = okl_magnitude(x), t = a > 710.5 ? 710.5 : a;
    const okl_pair quarter = okl_quarter_expm1(t), below = okl_exact_sum(0.25, quarter.high);
    const double q = 0.25 * (quarter.high / below.high);
    const double part = (0.25 * quarter.low - q * (below.low + quarter.low)) / below.high;
    const okl_pair sum = okl_exact_sum(quarter.high, q);
    return a < 0x1p-28 ? x : okl_with_sign(2.0 * (sum.high + (sum.low + (quarter.low + part))), x);
}

static inline double okl_cosh_f64(double x) {
    const double a = okl_magnitude(x), t = a > 710.5 ? 710.5 : a;
    const okl_reduced at = okl_by_log_2(t);
    const double scale = okl_power_of_two(at.k - 2.0), sum = 1.0 + at.r;
    const double high = scale * sum, low = scale * (((1.0 - sum) + at.r) + (at.low + okl_exp_rest(at.r)));
    const double quarter = high + low, rest = (high - quarter) + low, q = 0.0625 / quarter;
    return 2.0 * (quarter + (q + (rest - 16.0 * q * q * rest)));
}

// 2^x, with an error of 2^-28: for functions of float.
static inline double okl_exp2_brief(double x) {
    const double above = x < -600.0 ? -600.0 : x, t = above > 600.0 ? 600.0 : above;
    const double k = okl_whole(t), r = t - k;
    double p = 0.00015461467905285986;
    p = p * r + 0.0013400454984126323;
    p = p * r + 0.00961805662050108;
    p = p * r + 0.05550327159647605;
    p = p * r + 0.2402265092256076;
    p = p * r + 0.6931472067342503;
    p = p * r + 1.0;
    return p * okl_power_of_two(k);
}

// e^x - 1, with a relative error of 2^-31: for functions of float.
static inline double okl_expm1_brief(double x) {
    const double above = x < -200.0 ? -200.0 : x, t = above > 200.0 ? 200.0 : above;
    const double k = okl_whole(t * 0x1.71547652b82fep+0), r = t - k * 0x1.62e42fefa39efp-1;
    double p = 0.00019899285575896282;
    p = p * r + 0.0013941118895837;
    p = p * r + 0.00833329846980059;
    p = p * r + 0.04166635277111221;
    p = p * r + 0.16666666719028936;
    p = p * r + 0.5000000047146057;
    p = p * r + 1.0;
    const double scale = okl_power_of_two(k);
    return (scale - 1.0) + scale * (r * p);
}

static inline float okl_exp_f32(float x) {
    return (float)okl_exp2_brief((double)x * 0x1.71547652b82fep+0);
}

static inline float okl_exp2_f32(float x) {
    return (float)okl_exp2_brief((double)x);
}

static inline float okl_expm1_f32(float x) {
    return (float)okl_with_sign(okl_expm1_brief((double)x), (double)x);
}

static inline float okl_tanh_f32(float x) {
    const double e = okl_expm1_brief(2.0 * okl_magnitude((double)x));
    return (float)okl_with_sign(e / (e + 2.0), (double)x);
}

static inline float okl_sinh_f32(float x) {
    const double e = okl_expm1_brief(okl_magnitude((double)x));
    return (float)okl_with_sign(0.5 * (e + e / (e + 1.0)), (double)x);
}

static inline float okl_cosh_f32(float x) {
    const double e = okl_exp2_brief(okl_magnitude((double)x) * 0x1.71547652b82fep+0);
    return (float)(0.5 * (e + 1.0 / e));
}
