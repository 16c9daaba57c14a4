// In curand.h the type of `vectors` is a pointer to a pointer to an array. PyGPU's model has no arrays behind pointers,
// so these declarations say it with pointers alone; the address is the same. releases.toml renames those of curand.h.
#undef curandGetDirectionVectors32
#undef curandGetDirectionVectors64
#ifdef __cplusplus
extern "C" {
#endif

curandStatus_t curandGetDirectionVectors32(unsigned int **vectors, curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(unsigned long long **vectors, curandDirectionVectorSet_t set);

#ifdef __cplusplus
}
#endif
