//! Captured frames: which of them show the same call.

use rperf_core::collect::CapturedFrame;

const FRAME: CapturedFrame = CapturedFrame { pc: 0x100, iseq: 0x20, method: 0x30, ep: 0x40 };

#[test]
fn a_call_is_the_same_wherever_it_is_executing() {
    assert!(FRAME.is_same_call(&CapturedFrame { pc: 0x108, ..FRAME }));
    assert_ne!(FRAME, CapturedFrame { pc: 0x108, ..FRAME });
}

#[test]
fn other_code_another_method_or_another_environment_is_another_call() {
    let others = [
        CapturedFrame { iseq: 0x28, ..FRAME },
        CapturedFrame { method: 0x38, ..FRAME },
        CapturedFrame { ep: 0x48, ..FRAME },
    ];
    for other in others {
        assert!(!FRAME.is_same_call(&other) && !other.is_same_call(&FRAME), "{other:?}");
    }
}
