// OpenCL C, made from OKL.
// @kernel sums: sums_0
// @kernel primes: primes_0
// @kernel collatz: collatz_0
// @kernel once: once_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sums_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int a = 0;
    int b = 0;
    int c = 0;
    int d = 0;
    int e = 0;
    for (int i = 0; i < n; ++i) {
        a += i;
    }
    int i = 0;
    while (i < n) {
        b += i;
        ++i;
    }
    i = 0;
    while (true) {
        c += i;
        ++i;
        if (i >= n) break;
    }
    for (int k = 0; k < n; ++k) {
        if (k % 2 == 0) {
            continue;
        }
        d += k;
    }
    while (true) {
        if (e > 5) {
            break;
        }
        ++e;
    }
    int f = 0;
    while (f > 0) {
        ++f;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void primes_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int found = 0;
    for (int p = 2; p < n; ++p) {
        bool prime = true;
        for (int d = 2; d * d <= p; ++d) {
            if (p % d == 0) {
                prime = false;
                break;
            }
        }
        if (!prime) {
            continue;
        }
        const int before = found;
        ++found;
        out[before] = p;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void collatz_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        int x = i + 1;
        int turns = 0;
        while (x != 1) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            ++turns;
        }
        out[i] = turns;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void once_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int a = 0;
    do {
        ++a;
        if (a == 1) {
            continue;
        }
        a = 100;
    } while (a > 1);
    out[0] = a;
    int turns = 0;
    int left = 5;
    while (true) {
        const int before = left;
        --left;
        if (before <= 0) break;
        if (left == 3) {
            continue;
        }
        if (left == 1) {
            break;
        }
        ++turns;
    }
    out[1] = turns + left;
    int last = 0;
    for (int k = 0, m = 8; k < m; ++k, --m) {
        last = m;
    }
    out[2] = last - 1;
}
