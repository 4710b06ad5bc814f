/* Takes memory in all the ways there are, by this library's own calls, and keeps it until it is
   told to free it. */
#include <ruby.h>
#include <ruby/thread.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void *kept[64];
static int count;

static void keep(void *block)
{
    kept[count++] = block;
}

/* 1,000 bytes by each function. */
static VALUE
take(VALUE self)
{
    void *aligned = NULL;
    keep(malloc(1000));
    keep(calloc(10, 100));
    keep(realloc(NULL, 1000));
    keep(realloc(malloc(200), 1000));
    keep(reallocarray(malloc(200), 100, 10));
    keep(aligned_alloc(64, 1000));
    if (posix_memalign(&aligned, 64, 1000) == 0) keep(aligned);
    return INT2NUM(count);
}

static VALUE
give_back(VALUE self)
{
    while (count > 0) free(kept[--count]);
    return Qnil;
}

/* What a compiler may not leave out. */
static void *volatile result;

/* A block of 1,000 bytes that cannot grow stays; one of no bytes is freed. Returns errno of the
   failure. */
static VALUE
fail(VALUE self)
{
    void *block = malloc(1000);
    errno = 0;
    if (realloc(block, PTRDIFF_MAX) != NULL) rb_raise(rb_eRuntimeError, "there is so much memory");
    int failure = errno;
    keep(block);
    if ((result = realloc(result = malloc(1000), 0)) != NULL) rb_raise(rb_eRuntimeError, "a block of no bytes was not freed");
    if ((result = malloc(PTRDIFF_MAX)) != NULL || (result = calloc(SIZE_MAX / 2, 3)) != NULL) rb_raise(rb_eRuntimeError, "there is so much memory");
    return INT2NUM(failure);
}

static void *
without_gvl(void *size)
{
    keep(malloc((size_t)size));
    return NULL;
}

/* Takes so many bytes while the calling thread has no GVL. */
static VALUE
take_without_gvl(VALUE self, VALUE size)
{
    rb_thread_call_without_gvl(without_gvl, (void *)NUM2SIZET(size), RUBY_UBF_IO, NULL);
    return Qnil;
}

/* The same on a thread that is none of Ruby's. */
static VALUE
take_on_native_thread(VALUE self, VALUE size)
{
    pthread_t thread;
    pthread_create(&thread, NULL, without_gvl, (void *)NUM2SIZET(size));
    pthread_join(thread, NULL);
    return Qnil;
}

/* Takes blocks and gives them back on four threads that are none of Ruby's, until it is told to
   stop. */
static volatile int busy;

static void *
churn(void *unused)
{
    while (busy) {
        void *blocks[16];
        for (int i = 0; i < 16; i++) blocks[i] = malloc(100 + 100 * i);
        for (int i = 0; i < 16; i++) blocks[i] = realloc(blocks[i], 5000);
        for (int i = 0; i < 16; i++) free(blocks[i]);
    }
    return NULL;
}

static pthread_t threads[4];

static VALUE
start_churn(VALUE self)
{
    busy = 1;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, NULL);
    return Qnil;
}

static VALUE
stop_churn(VALUE self)
{
    busy = 0;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return Qnil;
}

void
Init_memory(void)
{
    VALUE module = rb_define_module("Memory");
    rb_define_singleton_method(module, "take", take, 0);
    rb_define_singleton_method(module, "give_back", give_back, 0);
    rb_define_singleton_method(module, "fail", fail, 0);
    rb_define_singleton_method(module, "take_without_gvl", take_without_gvl, 1);
    rb_define_singleton_method(module, "take_on_native_thread", take_on_native_thread, 1);
    rb_define_singleton_method(module, "start_churn", start_churn, 0);
    rb_define_singleton_method(module, "stop_churn", stop_churn, 0);
}
