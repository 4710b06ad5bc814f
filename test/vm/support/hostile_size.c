/* Objects whose size function does what it should not: HostileSize.new(kind). In the collector
   it ends the process. */
#include <ruby/ruby.h>
#include <stdlib.h>

static size_t size_of(const void *data)
{
    if (rb_during_gc()) abort();
    switch ((int)(intptr_t)data) {
      case 1: rb_raise(rb_eRuntimeError, "no size");
      case 2: rb_gc_start(); return 1000;
      case 3: for (int count = 0; count < 1000; count++) rb_str_new_cstr("made while the size is asked for"); return 1000;
      default: return 1000;
    }
}

static const rb_data_type_t type = {"HostileSize", {NULL, NULL, size_of}, NULL, NULL, 0};

static VALUE allocate(VALUE class) { return TypedData_Wrap_Struct(class, &type, NULL); }

static VALUE initialize(VALUE self, VALUE kind)
{
    RTYPEDDATA_DATA(self) = (void *)(intptr_t)NUM2INT(kind);
    return self;
}

void Init_hostile_size(void)
{
    VALUE class = rb_define_class("HostileSize", rb_cObject);
    rb_define_alloc_func(class, allocate);
    rb_define_method(class, "initialize", initialize, 1);
}
