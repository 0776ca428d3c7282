/// The size of a cache line on all processors that matter here, in bytes.
const CACHE_LINE: usize = 64;

/// Asks the processor to fetch a value into its caches, without waiting for it. Changes nothing but speed.
///
/// For [`crate::Model::anticipate`]: a plain read would hold up what comes after it until memory answers.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(CACHE_LINE) {
        let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(line * CACHE_LINE);
        // SAFETY: a prefetch reads and writes nothing that a program can observe, at whatever address; SSE, which has the instruction, is
        // part of every x86-64 processor.
        #[expect(unsafe_code, reason = "the standard library has no safe prefetch yet (hint_prefetch is unstable)")]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address);
        }
    }
}
