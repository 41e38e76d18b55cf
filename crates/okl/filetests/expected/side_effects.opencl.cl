// OpenCL C, made from OKL.
// @kernel steps: steps_0
// @kernel compound: compound_0
// @kernel narrow: narrow_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void steps_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int a = 5;
    int b;
    int c;
    const int before = a;
    ++a;
    out[0] = before;
    ++a;
    out[1] = a;
    const int before_1 = a;
    --a;
    out[2] = before_1;
    --a;
    out[3] = a;
    --a;
    c = a;
    b = c;
    out[4] = b;
    out[5] = c;
    int at = 6;
    const int before_2 = at;
    ++at;
    out[before_2] = 12;
    out[at] = out[at - 1];
    for (b = 0, c = 10; b < c; ++b, c -= 2) {
        a = b;
    }
    out[8] = a;
    a = 1;
    out[9] = a + 1;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void compound_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int a = 10;
    a += 5;
    out[0] = a;
    a -= 3;
    out[1] = a;
    a *= 3;
    out[2] = a;
    a /= 4;
    out[3] = a;
    a %= 2;
    out[4] = a;
    a <<= 2;
    out[5] = a;
    a >>= 1;
    out[6] = a;
    a |= 8;
    out[7] = a;
    a ^= 4;
    out[8] = a;
    --a;
    out[9] = a & 15;
}

static inline void narrow_0_group(__global uchar *c, __global short *s, __global float *f, const long group_x, const long group_y, const long group_z) {
    c[0] = c[0] + 10;
    c[1] = c[1] * 2;
    s[0] = s[0] + 1;
    f[0] += 1.0f;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void narrow_0(__global uchar *c_buffer, const long c_start, __global short *s_buffer, const long s_start, __global float *f_buffer, const long f_start, const long3 first, const long end) {
    __global uchar *c = c_buffer + c_start;
    __global short *s = s_buffer + s_start;
    __global float *f = f_buffer + f_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    if (next_x < end) {
        const uchar value = c[0] + 10;
        const uchar value_next = c[0] + 10;
        c[0] = value;
        c[0] = value_next;
        const uchar value_1 = c[1] * 2;
        const uchar value_1_next = c[1] * 2;
        c[1] = value_1;
        c[1] = value_1_next;
        const short value_2 = s[0] + 1;
        const short value_2_next = s[0] + 1;
        s[0] = value_2;
        s[0] = value_2_next;
        const float value_3 = f[0] + 1.0f;
        const float value_3_next = f[0] + 1.0f;
        f[0] = value_3;
        f[0] = value_3_next;
    } else {
        narrow_0_group(c, s, f, group_x, group_y, group_z);
        if (next_x < end) {
            narrow_0_group(c, s, f, next_x, group_y, group_z);
        }
    }
}
