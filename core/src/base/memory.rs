//! Returns memory that is not used to the operating system.

/// Returns the free memory of the allocator to the operating system, where that is the C library
/// of GNU, which keeps what long lists of a large reply took until something of that size is needed
/// again. Does nothing elsewhere. Takes milliseconds: 8 for a server with 50 MB.
pub fn release_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "the C library offers it to C only")]
        // SAFETY: the function takes no pointer and is safe to call from any thread.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
