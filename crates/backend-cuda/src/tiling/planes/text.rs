//! What all texts of loops over planes have.

/// What every such text begins with.
pub(super) const PRELUDE: &str =
    "// A recorded loop over planes: blocks stream along z, and do several repetitions as they go.\n";

/// An item's place as a sum whose factors are constants of the text: the compiler finds no difference of indices else.
pub(super) const SUMS: &str = r#"
// What differs between items: the coordinates of their points, and the numbers of their groups.
struct okl_place {
    int x, y, z, group_x, group_y, group_z;
};

// constant + x · at.x + …
template <typename V>
struct okl_sum {
    V constant, x, y, z, group_x, group_y, group_z;
    okl_place at;
    __device__ __forceinline__ operator V() const {
        return constant + x * (V)at.x + y * (V)at.y + z * (V)at.z + group_x * (V)at.group_x + group_y * (V)at.group_y
            + group_z * (V)at.group_z;
    }
};

template <typename T>
struct okl_only {};
template <>
struct okl_only<int> { typedef int integer; };
template <>
struct okl_only<unsigned> { typedef unsigned integer; };
template <>
struct okl_only<long long> { typedef long long integer; };
template <>
struct okl_only<unsigned long long> { typedef unsigned long long integer; };

template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() * I())> operator*(const okl_sum<V> &sum, I by) {
    return {sum.constant * by, sum.x * by, sum.y * by, sum.z * by, sum.group_x * by, sum.group_y * by, sum.group_z * by, sum.at};
}
template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() * I())> operator*(I by, const okl_sum<V> &sum) { return sum * by; }
template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() + I())> operator+(const okl_sum<V> &sum, I other) {
    return {sum.constant + other, sum.x, sum.y, sum.z, sum.group_x, sum.group_y, sum.group_z, sum.at};
}
template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() + I())> operator+(I other, const okl_sum<V> &sum) { return sum + other; }
template <typename V, typename W>
static __device__ __forceinline__ okl_sum<decltype(V() + W())> operator+(const okl_sum<V> &sum, const okl_sum<W> &other) {
    return {sum.constant + other.constant, sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.group_x + other.group_x,
            sum.group_y + other.group_y, sum.group_z + other.group_z, sum.at};
}
template <typename V>
static __device__ __forceinline__ okl_sum<V> operator-(const okl_sum<V> &sum) { return sum * (V)-1; }
template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() + I())> operator-(const okl_sum<V> &sum, I other) { return sum + -other; }
template <typename V, typename I, typename = typename okl_only<I>::integer>
static __device__ __forceinline__ okl_sum<decltype(V() + I())> operator-(I other, const okl_sum<V> &sum) { return -sum + other; }
template <typename V, typename W>
static __device__ __forceinline__ okl_sum<decltype(V() + W())> operator-(const okl_sum<V> &sum, const okl_sum<W> &other) {
    return sum + -other;
}

// What a constant of an item is declared as.
template <typename T, typename U>
static __device__ __forceinline__ T okl_integer(U value) { return (T)value; }
template <typename T, typename V>
static __device__ __forceinline__ okl_sum<T> okl_integer(const okl_sum<V> &sum) {
    return {(T)sum.constant, (T)sum.x, (T)sum.y, (T)sum.z, (T)sum.group_x, (T)sum.group_y, (T)sum.group_z, sum.at};
}

// The numbers of a group and of an item in it along the axes of the launch.
template <typename X, typename Y, typename Z>
struct okl_numbers {
    X x;
    Y y;
    Z z;
};
"#;

/// What follows the sizes.
pub(super) const PLANES: &str = r#"
// Nobody defines it: a text in which a call of it is left does not link.
#ifdef __CUDA_ARCH__
extern "C" __device__ void okl_offset_is_no_constant();
#else
static void okl_offset_is_no_constant() { __builtin_trap(); }
#endif

// What an offset is along an axis, as near as can be.
static __device__ __forceinline__ int okl_nearest(int offset, int stride) {
    const int at = offset + stride / 2;
    return at >= 0 ? at / stride : -((stride - 1 - at) / stride);
}

// How far an index is from an item's own element, which `argument` elements lie before.
template <typename V>
static __device__ __forceinline__ int okl_offset_of(const okl_sum<V> &index, int argument) {
    const okl_place &at = index.at;
    return (int)index.constant - (okl_origin - argument) + ((int)index.x - 1) * at.x + ((int)index.y - okl_stride_y) * at.y
        + ((int)index.z - okl_stride_z) * at.z + (int)index.group_x * at.group_x + (int)index.group_y * at.group_y
        + (int)index.group_z * at.group_z;
}

// The state around an item: its column in registers, its plane in shared memory.
template <typename Element>
struct okl_neighbours {
    const Element (&column)[okl_column][okl_points];
    // The place of the thread's first point in its plane.
    const Element *plane;
    int point, argument;
    template <typename V>
    __device__ __forceinline__ Element operator[](const okl_sum<V> &index) const {
        const int offset = okl_offset_of(index, argument);
        const int z = okl_nearest(offset, okl_stride_z), rest = offset - z * okl_stride_z;
        const int y = okl_nearest(rest, okl_stride_y), x = rest - y * okl_stride_y;
        if (z < -okl_reach_z || z > okl_reach_z || y < -okl_reach_y || y > okl_reach_y || x < -okl_reach_x || x > okl_reach_x
            || (z != 0 && (x != 0 || y != 0))) {
            okl_offset_is_no_constant();
        }
        if (z != 0) return column[okl_reach_z + z][point];
        if (x == 0 && point + y >= 0 && point + y < okl_points) return column[okl_reach_z][point + y];
        return plane[(point + y) * okl_width + x];
    }
};

// What an item writes.
template <typename T>
struct okl_result {
    T &value;
    int argument;
    template <typename V>
    __device__ __forceinline__ okl_element<T> operator[](const okl_sum<V> &index) const {
        if (okl_offset_of(index, argument) != 0) okl_offset_is_no_constant();
        return {value};
    }
};

static __device__ __forceinline__ int okl_least(int one, int other) { return one < other ? one : other; }
static __device__ __forceinline__ int okl_clamped(int number, int begin, int end) {
    return number < begin ? begin : number < end ? number : end - 1;
}

// One of the boxes, side by side, that make a box without another one in it.
struct okl_box {
    int begin[3], end[3];
};

// Whether the box of this number has a point of this number, and which one; else the number is one among the boxes behind it.
static __device__ __forceinline__ bool okl_find(const okl_box &all, const okl_box &hole, int box, unsigned &number, int (&point)[3]) {
    okl_box of = all;
    const int axis = 2 - box / 2;
    #pragma unroll
    for (int inner = axis + 1; inner < 3; ++inner) of.begin[inner] = hole.begin[inner], of.end[inner] = hole.end[inner];
    if (box % 2 == 0) of.end[axis] = hole.begin[axis];
    else of.begin[axis] = hole.end[axis];
    const unsigned x = of.end[0] - of.begin[0], y = of.end[1] - of.begin[1], z = of.end[2] - of.begin[2];
    if (number >= x * y * z) {
        number -= x * y * z;
        return false;
    }
    const unsigned row = number / x;
    point[0] = of.begin[0] + number % x;
    point[1] = of.begin[1] + row % y;
    point[2] = of.begin[2] + row / y;
    return true;
}

// The point of a thread outside of the hole.
static __device__ __forceinline__ bool okl_point(const okl_box &all, const okl_box &hole, int (&point)[3]) {
    unsigned number = blockIdx.x * okl_threads + threadIdx.x;
    #pragma unroll
    for (int box = 0; box < 6; ++box) {
        if (okl_find(all, hole, box, number, point)) return true;
    }
    return false;
}

static __device__ __forceinline__ unsigned okl_element_of(int x, int y, int z) {
    return (unsigned)okl_origin + (unsigned)x + (unsigned)okl_stride_y * (unsigned)y + (unsigned)okl_stride_z * (unsigned)z;
}
"#;

/// The body of a block of tiles; `{…}` are what the plan says.
pub(super) const TILES: &str = r#"
    extern __shared__ __align__(16) unsigned char okl_state[];
    const okl_value_type *const from = (const okl_value_type *)given.from;
    okl_value_type *const to = (okl_value_type *)given.to;
    const int lane = threadIdx.x % okl_width, row = threadIdx.x / okl_width * okl_points;
    // The last tile overlaps the one before, and stores the same there.
    const int start_x = okl_least((int)blockIdx.x * okl_own_x, okl_middle_x - okl_own_x);
    const int start_y = okl_least((int)blockIdx.y * okl_own_y, okl_middle_y - okl_own_y);
    const int x = okl_begin_x + start_x - okl_steps * okl_reach_x + lane;
    const int y = okl_begin_y + start_y - okl_steps * okl_reach_y + row;
    const int first = okl_begin_z + (int)blockIdx.z * okl_chunk, last = okl_least(first + okl_chunk, okl_begin_z + okl_middle_z);
    const bool is_own_x = lane >= okl_steps * okl_reach_x && lane < okl_width - okl_steps * okl_reach_x;
    okl_value_type column[okl_steps][okl_column][okl_points], next[okl_points];
    #pragma unroll
    for (int stage = 0; stage < okl_steps; ++stage) {
        #pragma unroll
        for (int level = 0; level < okl_column; ++level) {
            #pragma unroll
            for (int point = 0; point < okl_points; ++point) column[stage][level][point] = 0;
        }
    }
    const int begin = first - okl_steps * okl_reach_z, end = last + okl_steps * okl_reach_z;
    const okl_value_type *source = from + okl_element_of(x, y, begin);
    okl_value_type *target = to + okl_element_of(x, y, first);
    #pragma unroll
    for (int point = 0; point < okl_points; ++point) next[point] = source[point * okl_stride_y];
    okl_value_type *const own = (okl_value_type *)okl_state + okl_reach_x + (row + okl_reach_y) * okl_width + lane;
    int now = 0;
    #pragma unroll 1
    for (int z = begin; z < end; ++z) {
        // The planes of a stage take turns: the newest one, and the one that items are in.
        const int middle = now == okl_reach_z * okl_plane ? 0 : now + okl_plane;
        okl_value_type value[okl_points];
        #pragma unroll
        for (int point = 0; point < okl_points; ++point) value[point] = next[point];
        source += okl_stride_z;
        if (z + 1 < end) {
            #pragma unroll
            for (int point = 0; point < okl_points; ++point) next[point] = source[point * okl_stride_y];
        }
        #pragma unroll
        for (int stage = 0; stage < okl_steps; ++stage) {
            okl_value_type *const planes = own + stage * (okl_reach_z + 1) * okl_plane;
            #pragma unroll
            for (int point = 0; point < okl_points; ++point) {
                #pragma unroll
                for (int level = 0; level + 1 < okl_column; ++level) column[stage][level][point] = column[stage][level + 1][point];
                column[stage][okl_column - 1][point] = value[point];
                planes[now + point * okl_width] = value[point];
            }
            #pragma unroll
            for (int point = 0; point < okl_points; ++point) {
                okl_item_of(given, column[stage], planes + middle, x, y + point, z - (stage + 1) * okl_reach_z, point, value[point]);
            }
        }
        if (z - okl_steps * okl_reach_z >= first) {
            #pragma unroll
            for (int point = 0; point < okl_points; ++point) {
                const int at = row + point;
                if (is_own_x && at >= okl_steps * okl_reach_y && at < okl_width_y - okl_steps * okl_reach_y) {
                    target[point * okl_stride_y] = value[point];
                }
            }
            target += okl_stride_z;
        }
        now = middle;
        __syncthreads();
    }
"#;
