// The error function and the logarithm of the gamma function are those of FreeBSD's msun (Copyright (C) 1993 by Sun
// Microsystems, Inc. Permission to use, copy, modify, and distribute this software is freely granted, provided that
// this notice is preserved), the gamma function is musl's (MIT licence).

// 1 - erf(x) for 0.84375 <= x < 28, times 2 to the power n.
fn okl_erfc_part_f64(x: f64, n: i32) -> f64 {
    if (x < 1.25lf) {
        let s = x - 1.0lf;
        let p = -2.36211856075265944077e-03lf + s * (4.14856118683748331666e-01lf + s * (-3.72207876035701323847e-01lf
            + s * (3.18346619901161753674e-01lf + s * (-1.10894694282396677476e-01lf + s * (3.54783043256182359371e-02lf
            + s * -2.16637559486879084300e-03lf)))));
        let q = 1.0lf + s * (1.06420880400844228286e-01lf + s * (5.40397917702171048937e-01lf
            + s * (7.18286544141962662868e-02lf + s * (1.26171219808761642112e-01lf + s * (1.36370839120290507362e-02lf
            + s * 1.19844998467991074170e-02lf)))));
        return okl_ldexp_f64(1.0lf - 8.45062911510467529297e-01lf - p / q, n);
    }
    let s = 1.0lf / (x * x);
    var r = 0.0lf;
    var t = 1.0lf;
    if (x < 2.857142857142857lf) {
        r = -9.86494403484714822705e-03lf + s * (-6.93858572707181764372e-01lf + s * (-1.05586262253232909814e+01lf
            + s * (-6.23753324503260060396e+01lf + s * (-1.62396669462573470355e+02lf + s * (-1.84605092906711035994e+02lf
            + s * (-8.12874355063065934246e+01lf + s * -9.81432934416914548592e+00lf))))));
        t = 1.0lf + s * (1.96512716674392571292e+01lf + s * (1.37657754143519042600e+02lf
            + s * (4.34565877475229228821e+02lf + s * (6.45387271733267880336e+02lf + s * (4.29008140027567833386e+02lf
            + s * (1.08635005541779435134e+02lf + s * (6.57024977031928170135e+00lf + s * -6.04244152148580987438e-02lf)))))));
    } else {
        r = -9.86494292470009928597e-03lf + s * (-7.99283237680523006574e-01lf + s * (-1.77579549177547519889e+01lf
            + s * (-1.60636384855821916062e+02lf + s * (-6.37566443368389627722e+02lf + s * (-1.02509513161107724954e+03lf
            + s * -4.83519191608651397019e+02lf)))));
        t = 1.0lf + s * (3.03380607434824582924e+01lf + s * (3.25792512996573918826e+02lf
            + s * (1.53672958608443695994e+03lf + s * (3.19985821950859553908e+03lf + s * (2.55305040643316442583e+03lf
            + s * (4.74528541206955367215e+02lf + s * -2.24409524465858183362e+01lf))))));
    }
    let z = okl_high_f64(x);
    // Computed far above the subnormal numbers, and rounded to them once.
    let upper = okl_exp_scaled_f64(-z * z - 0.5625lf, 600);
    return okl_ldexp_f64(upper * okl_exp_f64((z - x) * (z + x) + r / t) / x, n - 600);
}

// erf(x) / x - 1 for |x| < 0.84375, from the square of x.
fn okl_erf_rest_f64(z: f64) -> f64 {
    let r = 1.28379167095512558561e-01lf + z * (-3.25042107247001499370e-01lf + z * (-2.84817495755985104766e-02lf
        + z * (-5.77027029648944159157e-03lf + z * -2.37630166566501626084e-05lf)));
    let s = 1.0lf + z * (3.97917223959155352819e-01lf + z * (6.50222499887672944485e-02lf
        + z * (5.08130628187576562776e-03lf + z * (1.32494738004321644526e-04lf + z * -3.96022827877536812320e-06lf))));
    return r / s;
}

fn okl_erf_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude < 3.7252902984e-09lf) {
        // Products far above the subnormal numbers, and rounded to them once.
        let scaled = okl_ldexp_f64(x, 200);
        return okl_ldexp_f64(scaled + scaled * 1.28379167095512586316e-01lf, -200);
    }
    if (magnitude < 0.84375lf) {
        return x + x * okl_erf_rest_f64(x * x);
    }
    if (magnitude < 6.0lf) {
        return okl_copysign_f64(1.0lf - okl_erfc_part_f64(magnitude, 0), x);
    }
    return okl_copysign_f64(1.0lf, x);
}

fn okl_erfc_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude < 1.0e-17lf) {
        return 1.0lf;
    }
    if (magnitude < 0.84375lf) {
        let y = okl_erf_rest_f64(x * x);
        if (x < 0.25lf) {
            return 1.0lf - (x + x * y);
        }
        return 0.5lf - (x - 0.5lf + x * y);
    }
    if (magnitude >= 28.0lf) {
        return select(0.0lf, 2.0lf, x < 0.0lf);
    }
    let value = okl_erfc_part_f64(magnitude, 0);
    return select(value, 2.0lf - value, x < 0.0lf);
}

// The sine of pi * x.
fn okl_sinpi_f64(x: f64) -> f64 {
    let half = 0.5lf * x;
    let turned = 2.0lf * (half - floor(half));
    let n = (i32(4.0lf * turned) + 1) / 2;
    let angle = (turned - f64(n) * 0.5lf) * 3.14159265358979311600e+00lf;
    var value = 0.0lf;
    if ((n & 1) == 1) {
        value = okl_cos_part_f64(angle, 0.0lf);
    } else {
        value = okl_sin_part_f64(angle, 0.0lf);
    }
    return select(value, -value, n == 2 || n == 3);
}

// The logarithm of |gamma(x)| for x > 0.
fn okl_lgamma_positive_f64(x: f64) -> f64 {
    if (x == 1.0lf || x == 2.0lf) {
        return 0.0lf;
    }
    if (x < 2.0lf) {
        var r = 0.0lf;
        var y = 0.0lf;
        var which = 0;
        if (x <= 0.8999996185302734lf) {
            r = -okl_log_f64(x);
            if (x >= 0.7315998077392578lf) {
                y = 1.0lf - x;
            } else if (x >= 0.23163998126983643lf) {
                y = x - 0.46163214496836225lf;
                which = 1;
            } else {
                y = x;
                which = 2;
            }
        } else if (x >= 1.7316312789916992lf) {
            y = 2.0lf - x;
        } else if (x >= 1.2316322326660156lf) {
            y = x - 1.46163214496836224576e+00lf;
            which = 1;
        } else {
            y = x - 1.0lf;
            which = 2;
        }
        let z = y * y;
        if (which == 0) {
            let even = 7.72156649015328655494e-02lf + z * (6.73523010531292681824e-02lf + z * (7.38555086081402883957e-03lf
                + z * (1.19270763183362067845e-03lf + z * (2.20862790713908385557e-04lf + z * 2.52144565451257326939e-05lf))));
            let odd = z * (3.22467033424113591611e-01lf + z * (2.05808084325167332806e-02lf + z * (2.89051383673415629091e-03lf
                + z * (5.10069792153511336608e-04lf + z * (1.08011567247583939954e-04lf + z * 4.48640949618915160150e-05lf)))));
            return r + ((y * even + odd) - 0.5lf * y);
        }
        if (which == 1) {
            let w = z * y;
            let p = 4.83836122723810047042e-01lf + w * (-3.27885410759859649565e-02lf + w * (6.10053870246291332635e-03lf
                + w * (-1.40346469989232843813e-03lf + w * 3.15632070903625950361e-04lf)));
            let q = -1.47587722994593911752e-01lf + w * (1.79706750811820387126e-02lf + w * (-3.68452016781138256760e-03lf
                + w * (8.81081882437654011382e-04lf + w * -3.12754168375120860518e-04lf)));
            let s = 6.46249402391333854778e-02lf + w * (-1.03142241298341437450e-02lf + w * (2.25964780900612472250e-03lf
                + w * (-5.38595305356740546715e-04lf + w * 3.35529192635519073543e-04lf)));
            let t = z * p - (-3.63867699703950536541e-18lf - w * (q + y * s));
            return r + (-1.21486290535849611461e-01lf + t);
        }
        let p = y * (-7.72156649015328655494e-02lf + y * (6.32827064025093366517e-01lf + y * (1.45492250137234768737e+00lf
            + y * (9.77717527963372745603e-01lf + y * (2.28963728064692451092e-01lf + y * 1.33810918536787660377e-02lf)))));
        let q = 1.0lf + y * (2.45597793713041134822e+00lf + y * (2.12848976379893395361e+00lf
            + y * (7.69285150456672783825e-01lf + y * (1.04222645593369134254e-01lf + y * 3.21709242282423911810e-03lf))));
        return r + (-0.5lf * y + p / q);
    }
    if (x < 8.0lf) {
        let i = i32(x);
        let y = x - f64(i);
        let p = y * (-7.72156649015328655494e-02lf + y * (2.14982415960608852501e-01lf + y * (3.25778796408930981787e-01lf
            + y * (1.46350472652464452805e-01lf + y * (2.66422703033638609560e-02lf + y * (1.84028451407337715652e-03lf
            + y * 3.19475326584100867617e-05lf))))));
        let q = 1.0lf + y * (1.39200533467621045958e+00lf + y * (7.21935547567138069525e-01lf
            + y * (1.71933865632803078993e-01lf + y * (1.86459191715652901344e-02lf + y * (7.77942496381893596434e-04lf
            + y * 7.32668430744625636189e-06lf)))));
        let r = 0.5lf * y + p / q;
        if (i < 3) {
            return r;
        }
        var product = 1.0lf;
        for (var k = i - 1; k >= 2; k--) {
            product *= y + f64(k);
        }
        return r + okl_log_f64(product);
    }
    if (x < 288230376151711744.0lf) {
        let t = okl_log_f64(x);
        let z = 1.0lf / x;
        let y = z * z;
        let w = 4.18938533204672725052e-01lf + z * (8.33333333333329678849e-02lf + y * (-2.77777777728775536470e-03lf
            + y * (7.93650558643019558500e-04lf + y * (-5.95187557450339963135e-04lf + y * (8.36339918996282139126e-04lf
            + y * -1.63092934096575273989e-03lf)))));
        return (x - 0.5lf) * (t - 1.0lf) + w;
    }
    return x * (okl_log_f64(x) - 1.0lf);
}

fn okl_lgamma_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (okl_isinf_f64(x)) {
        return okl_inf_f64();
    }
    let magnitude = abs(x);
    if (magnitude < 8.470329472543003e-22lf) {
        return -okl_log_f64(bitcast<f64>(bitcast<u64>(x) & 0x7ffffffffffffffflu));
    }
    if (x > 0.0lf) {
        return okl_lgamma_positive_f64(x);
    }
    let t = abs(okl_sinpi_f64(magnitude));
    if (t == 0.0lf) {
        return okl_inf_f64();
    }
    return okl_log_f64(3.14159265358979311600e+00lf / (t * magnitude)) - okl_lgamma_positive_f64(magnitude);
}

// The two polynomials of Lanczos' approximation, one over the other.
fn okl_lanczos_f64(x: f64) -> f64 {
    let above = array<f64, 13>(23531376880.410759688572007674451636754734846804940lf,
        42919803642.649098768957899047001988850926355848959lf, 35711959237.355668049440185451547166705960488635843lf,
        17921034426.037209699919755754458931112671403265390lf, 6039542586.3520280050642916443072979210699388420708lf,
        1439720407.3117216736632230727949123939715485786772lf, 248874557.86205415651146038641322942321632125127801lf,
        31426415.585400194380614231628318205362874684987640lf, 2876370.6289353724412254090516208496135991145378768lf,
        186056.26539522349504029498971604569928220784236328lf, 8071.6720023658162106380029022722506138218516325024lf,
        210.82427775157934587250973392071336271166969580291lf, 2.5066282746310002701649081771338373386264310793408lf);
    let below = array<f64, 13>(0.0lf, 39916800.0lf, 120543840.0lf, 150917976.0lf, 105258076.0lf, 45995730.0lf,
        13339535.0lf, 2637558.0lf, 357423.0lf, 32670.0lf, 1925.0lf, 66.0lf, 1.0lf);
    var p = 0.0lf;
    var q = 0.0lf;
    for (var k = 0; k < 13; k++) {
        // Large arguments would overflow.
        if (x < 8.0lf) {
            p = p * x + above[12 - k];
            q = q * x + below[12 - k];
        } else {
            p = p / x + above[k];
            q = q / x + below[k];
        }
    }
    return p / q;
}

fn okl_tgamma_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    let magnitude = abs(x);
    if (okl_isinf_f64(x)) {
        return select(okl_nan_f64(), x, x > 0.0lf);
    }
    if (magnitude < 5.551115123125783e-17lf) {
        if (magnitude < 5.6e-309lf) {
            return okl_copysign_f64(okl_inf_f64(), x);
        }
        return 1.0lf / x;
    }
    if (floor(x) == x) {
        if (x < 0.0lf) {
            return okl_nan_f64();
        }
        if (x <= 23.0lf) {
            var product = 1.0lf;
            for (var k = 2; k < i32(x); k++) {
                product *= f64(k);
            }
            return product;
        }
    }
    if (x > 172.0lf) {
        return okl_inf_f64();
    }
    if (x < -184.0lf) {
        return select(-0.0lf, 0.0lf, floor(x) * 0.5lf == floor(x * 0.5lf));
    }
    let y = magnitude + 5.524680040776729583740234375lf;
    var lost = 0.0lf;
    if (magnitude > 5.524680040776729583740234375lf) {
        lost = (y - magnitude) - 5.524680040776729583740234375lf;
    } else {
        lost = (y - 5.524680040776729583740234375lf) - magnitude;
    }
    var z = magnitude - 0.5lf;
    var r = okl_lanczos_f64(magnitude) * okl_exp_f64(-y);
    if (x < 0.0lf) {
        r = -3.141592653589793238462643383279502884lf / (okl_sinpi_f64(magnitude) * magnitude * r);
        lost = -lost;
        z = -z;
    }
    r += lost * (5.524680040776729583740234375lf + 0.5lf) * r / y;
    z = okl_pow_f64(y, 0.5lf * z);
    return r * z * z;
}
