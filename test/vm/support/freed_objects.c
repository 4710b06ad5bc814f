/* Counts the objects of a class that the collector frees, by the event FREEOBJ: what a heap
 * profile says of their deaths must agree. */
#include <ruby.h>
#include <ruby/debug.h>

static VALUE watched;
static unsigned long freed;

static void
on_free(VALUE point, void *data)
{
    VALUE object = rb_tracearg_object(rb_tracearg_from_tracepoint(point));
    if (BUILTIN_TYPE(object) == T_OBJECT && RBASIC_CLASS(object) == watched) freed++;
}

static VALUE
watch(VALUE self, VALUE klass)
{
    VALUE point = rb_tracepoint_new(Qnil, RUBY_INTERNAL_EVENT_FREEOBJ, on_free, NULL);
    watched = klass;
    rb_gc_register_mark_object(klass);
    rb_gc_register_mark_object(point);
    rb_tracepoint_enable(point);
    return Qnil;
}

static VALUE
count(VALUE self)
{
    return ULONG2NUM(freed);
}

void
Init_freed_objects(void)
{
    VALUE module = rb_define_module("FreedObjects");
    rb_define_singleton_method(module, "watch", watch, 1);
    rb_define_singleton_method(module, "count", count, 0);
}
