//! What all texts of loops in windows have: accessors, and how windows and ends come and go.

/// What every such text begins with.
pub(super) const PRELUDE: &str = r#"// A recorded loop in windows, each of which a warp keeps in registers for several repetitions.

// Becomes what the parameter is that it is passed to.
struct okl_value {
    const unsigned char *at;
    template <typename T>
    __device__ __forceinline__ operator T() const {
        return *(const T *)at;
    }
};

// An element that may be written, whose address nobody takes.
template <typename T>
struct okl_element {
    T &at;
    __device__ __forceinline__ operator T() const { return at; }
    __device__ __forceinline__ okl_element &operator=(const okl_element &other) { at = other.at; return *this; }
    __device__ __forceinline__ okl_element &operator=(T value) { at = value; return *this; }
    __device__ __forceinline__ okl_element &operator+=(T value) { at += value; return *this; }
    __device__ __forceinline__ okl_element &operator-=(T value) { at -= value; return *this; }
    __device__ __forceinline__ okl_element &operator*=(T value) { at *= value; return *this; }
    __device__ __forceinline__ okl_element &operator/=(T value) { at /= value; return *this; }
    __device__ __forceinline__ okl_element &operator%=(T value) { at %= value; return *this; }
    __device__ __forceinline__ okl_element &operator&=(T value) { at &= value; return *this; }
    __device__ __forceinline__ okl_element &operator|=(T value) { at |= value; return *this; }
    __device__ __forceinline__ okl_element &operator^=(T value) { at ^= value; return *this; }
    __device__ __forceinline__ okl_element &operator<<=(T value) { at <<= value; return *this; }
    __device__ __forceinline__ okl_element &operator>>=(T value) { at >>= value; return *this; }
    void operator&() const = delete;
};
template <typename T>
struct okl_access {
    typedef okl_element<T> type;
};
template <typename T>
struct okl_access<const T> {
    typedef T type;
};

// Elements from index `first` on, in registers.
template <typename T>
struct okl_registers {
    T *values;
    unsigned first;
    template <typename I>
    __device__ __forceinline__ typename okl_access<T>::type operator[](I index) const {
        return {values[(int)((unsigned)index - first)]};
    }
};

// Two pieces of a buffer in shared memory; between them `gap` elements are left out from `split` on.
template <typename T>
struct okl_pieces {
    T *values;
    int split, gap, offset;
    template <typename I>
    __device__ __forceinline__ typename okl_access<T>::type operator[](I index) const {
        const int position = (int)index + offset;
        return {values[position < split ? position : position - gap]};
    }
};

// The compiler sees no division: it would make masks of it, and not find the number again where a kernel puts it together.
template <unsigned count>
static __device__ __forceinline__ unsigned okl_quotient(unsigned number) {
    unsigned quotient;
#ifdef __CUDA_ARCH__
    asm("div.u32 %0, %1, %2;" : "=r"(quotient) : "r"(number), "n"(count));
#else
    quotient = number / count;
#endif
    return quotient;
}
"#;

/// What follows the sizes.
pub(super) const WINDOWS: &str = r#"
// A window comes and goes in whole lines, by way of shared memory.
template <typename T>
static __device__ __forceinline__ void okl_load(const T *from, T *stage, T (&values)[okl_count]) {
    const unsigned lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned k = 0; k < okl_count; ++k) stage[k * 32 + lane] = from[k * 32 + lane];
    __syncwarp();
    #pragma unroll
    for (unsigned k = 0; k < okl_count; ++k) values[k] = stage[lane * okl_count + k];
    __syncwarp();
}

template <typename T>
static __device__ __forceinline__ void okl_store(const T (&values)[okl_count], T *stage, T *to, unsigned begin, unsigned end) {
    const unsigned lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned k = 0; k < okl_count; ++k) stage[lane * okl_count + k] = values[k];
    __syncwarp();
    #pragma unroll
    for (unsigned k = 0; k < okl_count; ++k) {
        const unsigned at = k * 32 + lane;
        if (at >= begin && at < end) to[at] = stage[at];
    }
    __syncwarp();
}

// The elements of a thread, with some of its neighbours'.
template <unsigned left, unsigned right, typename T>
static __device__ __forceinline__ void okl_widen(const T (&values)[okl_count], T (&wide)[left + okl_count + right]) {
    #pragma unroll
    for (unsigned k = 0; k < left; ++k) wide[k] = __shfl_up_sync(0xffffffffu, values[okl_count - left + k], 1);
    #pragma unroll
    for (unsigned k = 0; k < okl_count; ++k) wide[left + k] = values[k];
    #pragma unroll
    for (unsigned k = 0; k < right; ++k) wide[left + okl_count + k] = __shfl_down_sync(0xffffffffu, values[k], 1);
}

// The number of elements of a buffer that its two pieces have.
static __device__ __forceinline__ int okl_length(int elements, int split, int gap) {
    return elements <= split ? elements : elements <= split + gap ? split : elements - gap;
}

// Two pieces of a buffer between memory and shared memory: the elements before `split`, and those `gap` further on.
template <typename T>
static __device__ __forceinline__ void okl_load_pieces(const T *from, T *values, int elements, int split, int gap) {
    for (int i = threadIdx.x; i < okl_length(elements, split, gap); i += okl_threads) {
        values[i] = from[i < split ? i : i + gap];
    }
}
template <typename T>
static __device__ __forceinline__ void okl_store_pieces(
    const T *values, T *to, int elements, int split, int gap, int begin, int end
) {
    for (int i = threadIdx.x; i < okl_length(elements, split, gap); i += okl_threads) {
        const int position = i < split ? i : i + gap;
        if (position < begin || position >= end) to[position] = values[i];
    }
}
"#;
