// The error function of float. Polynomials interpolate at Chebyshev nodes, computed with 70 digits.

// e^(x x) erfc(x) (1 + 2 x) as a polynomial of (x - 3.75) / (x + 3.75) (Shepherd and Laframboise), for 0 <= x <= 11.
static inline double okl_erfc_brief(double x) {
    const double t = (x - 3.75) / (x + 3.75);
    double p = 3.3090280204048505e-05;
    p = p * t + 4.550181010033961e-05;
    p = p * t - 0.00030115137818901547;
    p = p * t + 0.0002938247258864805;
    p = p * t + 0.001760037902914937;
    p = p * t - 0.009746016042426413;
    p = p * t + 0.028361373120018726;
    p = p * t - 0.05869353337030566;
    p = p * t + 0.09230441915789146;
    p = p * t - 0.10880391908879238;
    p = p * t + 0.0822767335278772;
    p = p * t + 0.0035854152168356725;
    p = p * t - 0.1402405985091263;
    p = p * t + 1.2375126308384479;
    return okl_exp2_brief(x * x * -0x1.71547652b82fep+0) * (p / (1.0 + 2.0 * x));
}

static inline float okl_erf_f32(float x) {
    const double a = okl_magnitude((double)x), z = a * a;
    double p = 0.00010822310727295573;
    p = p * z - 0.000850673283324663;
    p = p * z + 0.005223274868632277;
    p = p * z - 0.026866109442369397;
    p = p * z + 0.11283791416579945;
    p = p * z - 0.37612638899213335;
    p = p * z + 1.1283791670954113;
    const double y = a < 0.5 ? a * p : 1.0 - okl_erfc_brief(a > 11.0 ? 11.0 : a);
    return (float)okl_with_sign(y, (double)x);
}

static inline float okl_erfc_f32(float x) {
    const double a = okl_magnitude((double)x), y = okl_erfc_brief(a > 11.0 ? 11.0 : a);
    return (float)(x < 0.0f ? 2.0 - y : y);
}
