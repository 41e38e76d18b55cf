//! What all texts of loops in windows have: accessors, and how windows and ends come and go.

/// What every such text begins with.
pub(super) const PRELUDE: &str =
    "// A recorded loop in windows, each of which a warp keeps in registers for several repetitions.\n";

/// What stands for values, and for elements that may have no address.
pub(super) const ELEMENTS: &str = r#"
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

/// The memory of windows and of ends.
pub(super) const REGISTERS: &str = r#"
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
    __device__ __forceinline__ T &at(int index) const {
        const int position = index + offset;
        return values[position < split ? position : position - gap];
    }
    template <typename I>
    __device__ __forceinline__ typename okl_access<T>::type operator[](I index) const {
        return {at((int)index)};
    }
};
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
template <typename Word>
static __device__ __forceinline__ void okl_copy(okl_pieces<Word> from, okl_pieces<Word> to, int count) {
    for (int i = threadIdx.x; i < count; i += okl_threads) to.at(i) = from.at(i);
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

/// How such loops know of a message.
pub(super) const MESSAGE: &str = r#"
struct okl_message {
    // The first of two slots, the control words of this side, the word of the other side that acknowledges, and the one that ends
    // all waiting.
    unsigned long long slots, own, other, ended;
};
"#;

/// What loops have whose ends exchange messages with other GPUs, in the way of [`crate::mailbox::WordMailbox`]: each four bytes go
/// with their number in one store of eight.
pub(super) const MESSAGES: &str = r#"
static __device__ __forceinline__ volatile unsigned long long *okl_control(const okl_message &message) {
    return (volatile unsigned long long *)message.own;
}

// Where the word of four bytes at `at` is, with its number.
static __device__ __forceinline__ unsigned long long okl_slot(const okl_message &message, unsigned long long number, int at) {
    return message.slots + number % 2 * 32768 + 8 * (unsigned long long)at;
}

static __device__ __forceinline__ void okl_put(unsigned long long to, unsigned low, unsigned high, unsigned mark) {
#ifdef __CUDA_ARCH__
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(to), "r"(low), "r"(mark), "r"(high), "r"(mark) : "memory");
#else
    volatile unsigned *const words = (volatile unsigned *)to;
    words[0] = low, words[1] = mark, words[2] = high, words[3] = mark;
#endif
}

// Whether the words have come that have this mark.
static __device__ __forceinline__ bool okl_take(unsigned long long from, unsigned &low, unsigned &high, unsigned mark) {
    unsigned marks[2];
#ifdef __CUDA_ARCH__
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(low), "=r"(marks[0]), "=r"(high), "=r"(marks[1]) : "l"(from) : "memory");
#else
    const volatile unsigned *const words = (const volatile unsigned *)from;
    low = words[0], marks[0] = words[1], high = words[2], marks[1] = words[3];
#endif
    return marks[0] == mark && marks[1] == mark;
}

// Whether nobody is to wait any more; looks now and then.
static __device__ __forceinline__ bool okl_is_ended(const okl_message &message, unsigned &turns) {
    return ++turns % 1024 == 0 && *(const volatile unsigned long long *)message.ended;
}

// All threads of the block send elements, as words of their length; true where nobody is to wait any more.
template <typename Word>
static __device__ bool okl_send(okl_pieces<Word> from, int count, unsigned long long number, const okl_message &message) {
    const int each = 8 / sizeof(Word);
    const unsigned long long least = number < 3 ? 0 : number - 2;
    bool is_ended = false;
    for (unsigned turns = 0; okl_control(message)[1] < least && !is_ended;) is_ended = okl_is_ended(message, turns);
    for (int i = each * threadIdx.x; i < count && !is_ended; i += each * okl_threads) {
        unsigned long long word = from.at(i);
        if (each == 2 && i + 1 < count) word |= (unsigned long long)from.at(i + 1) << 32;
        okl_put(okl_slot(message, number, 2 * i / each), (unsigned)word, (unsigned)(word >> 32), (unsigned)number);
    }
    if (__syncthreads_or(is_ended)) return true;
    if (threadIdx.x == 0) okl_control(message)[2] = number;
    return false;
}

// All threads of the block receive elements.
template <typename Word>
static __device__ bool okl_receive(okl_pieces<Word> to, int count, unsigned long long number, const okl_message &message) {
    const int each = 8 / sizeof(Word);
    bool is_ended = false;
    for (int i = each * threadIdx.x; i < count && !is_ended; i += each * okl_threads) {
        unsigned low, high;
        const unsigned long long from = okl_slot(message, number, 2 * i / each);
        for (unsigned turns = 0; !okl_take(from, low, high, (unsigned)number) && !is_ended;) is_ended = okl_is_ended(message, turns);
        if (is_ended) break;
        to.at(i) = (Word)((unsigned long long)high << 32 | low);
        if (each == 2 && i + 1 < count) to.at(i + 1) = high;
    }
    if (__syncthreads_or(is_ended)) return true;
    if (threadIdx.x == 0) {
        okl_control(message)[3] = number;
        *(volatile unsigned long long *)message.other = number;
    }
    return false;
}
"#;
