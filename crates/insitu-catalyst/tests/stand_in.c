/* A library with the entry points of libcatalyst and libascent that are used, each with its own Conduit. It writes down what
   it receives, the bytes of external arrays among it, in the file that `stand_in_set` names. */

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char path[128], value[256], type[32];
    const unsigned char *data;
    int64_t count, offset, stride, bytes, order;
    struct entry *next;
};
struct node {
    struct entry *first, **end;
};

static char log_path[512];
static int alive, is_blind, index_bytes = 8;

/* Where to write; whether external arrays have addresses of a device, which are numbers here; size of Conduit's indices. */
void stand_in_set(const char *path, int blind, int bytes) {
    snprintf(log_path, sizeof log_path, "%s", path);
    is_blind = blind, index_bytes = bytes;
}

static void say(const char *format, ...) {
    FILE *log = fopen(log_path, "a");
    va_list values;
    va_start(values, format);
    vfprintf(log, format, values);
    va_end(values);
    fclose(log);
}

static struct entry *set(struct node *node, const char *path, const char *type) {
    struct entry *entry = calloc(1, sizeof *entry);
    snprintf(entry->path, sizeof entry->path, "%s", path);
    snprintf(entry->type, sizeof entry->type, "%s", type);
    *node->end = entry;
    node->end = &entry->next;
    return entry;
}

static const char *find(const struct node *node, const char *path) {
    for (const struct entry *entry = node->first; entry; entry = entry->next)
        if (!strcmp(entry->path, path)) return entry->value;
    return "";
}

static void tell(const char *what, const struct node *node) {
    say("%s\n", what);
    for (const struct entry *entry = node->first; entry; entry = entry->next) {
        if (strncmp(entry->type, "external", 8)) {
            say("  %s %s %s\n", entry->path, entry->type, entry->value);
            continue;
        }
        say("  %s %s %p %lld %lld %lld %lld %lld ", entry->path, entry->type, (const void *)entry->data, (long long)entry->count,
            (long long)entry->offset, (long long)entry->stride, (long long)entry->bytes, (long long)entry->order);
        if (!is_blind)
            for (int64_t i = 0; i < entry->count; ++i)
                for (int64_t byte = 0; byte < entry->bytes; ++byte)
                    say("%02x", entry->data[entry->offset + i * entry->stride + byte]);
        say("\n");
    }
}

#define EXTERNAL(P, TYPE)                                                                                                      \
    void P##conduit_node_set_path_external_##TYPE##_ptr_detailed(struct node *node, const char *path, void *data, int64_t count, \
                                                                 int64_t offset, int64_t stride, int64_t bytes, int64_t order) { \
        struct entry *entry = set(node, path, "external " #TYPE);                                                              \
        entry->data = data, entry->count = count, entry->offset = offset;                                                      \
        entry->stride = stride, entry->bytes = bytes, entry->order = order;                                                    \
    }

#define CONDUIT(P)                                                                                                             \
    int P##conduit_datatype_sizeof_index_t(void) { return index_bytes; }                                                               \
    struct node *P##conduit_node_create(void) {                                                                                \
        struct node *node = calloc(1, sizeof *node);                                                                           \
        node->end = &node->first;                                                                                              \
        ++alive;                                                                                                               \
        return node;                                                                                                           \
    }                                                                                                                          \
    void P##conduit_node_destroy(struct node *node) {                                                                          \
        for (struct entry *entry = node->first, *next; entry; entry = next) next = entry->next, free(entry);                   \
        free(node);                                                                                                            \
        --alive;                                                                                                               \
    }                                                                                                                          \
    void P##conduit_node_set_path_int64(struct node *node, const char *path, int64_t value) {                                  \
        snprintf(set(node, path, "int64")->value, 256, "%lld", (long long)value);                                              \
    }                                                                                                                          \
    void P##conduit_node_set_path_float64(struct node *node, const char *path, double value) {                                 \
        snprintf(set(node, path, "float64")->value, 256, "%.17g", value);                                                      \
    }                                                                                                                          \
    void P##conduit_node_set_path_char8_str(struct node *node, const char *path, const char *value) {                          \
        snprintf(set(node, path, "char8_str")->value, 256, "%s", value);                                                       \
    }                                                                                                                          \
    EXTERNAL(P, int8) EXTERNAL(P, int16) EXTERNAL(P, int32) EXTERNAL(P, int64) EXTERNAL(P, uint8) EXTERNAL(P, uint16)          \
    EXTERNAL(P, uint32) EXTERNAL(P, uint64) EXTERNAL(P, float32) EXTERNAL(P, float64)

CONDUIT(catalyst_)
CONDUIT()

int catalyst_initialize(const struct node *node) {
    tell("catalyst_initialize", node);
    return strcmp(find(node, "catalyst_load/implementation"), "missing") ? 0 : 3;
}
int catalyst_execute(const struct node *node) {
    tell("catalyst_execute", node);
    return 0;
}
int catalyst_finalize(const struct node *node) {
    tell("catalyst_finalize", node);
    say("alive %d\n", alive);
    return 0;
}

static int instance;
void *ascent_create(void) { return &instance; }
void ascent_destroy(void *ascent) { say("ascent_destroy %d\nalive %d\n", ascent == &instance, alive); }
void ascent_open(void *ascent, struct node *node) { (void)ascent, tell("ascent_open", node); }
void ascent_publish(void *ascent, struct node *node) { (void)ascent, tell("ascent_publish", node); }
void ascent_execute(void *ascent, struct node *node) { (void)ascent, tell("ascent_execute", node); }
void ascent_close(void *ascent) { say("ascent_close %d\n", ascent == &instance); }
