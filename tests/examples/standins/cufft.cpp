// What spectral_filter.py needs of cuFFT, on the host's memory: transforms by their definition.
#include <cmath>
#include <complex>
#include <vector>

using Complex = std::complex<float>;
using Plan = int; // in hipFFT as wide as a pointer

namespace {
int sizes[16];
Plan plans;

// The sum of terms(k) * exp(sign * 2 pi i k at / size).
template <class Terms> std::complex<double> sum(int size, int at, int sign, const Terms &terms) {
    std::complex<double> result;
    for (int k = 0; k < size; ++k) {
        const double angle = sign * 2 * M_PI * double(1LL * k * at % size) / size;
        result += std::complex<double>(terms(k)) * std::polar(1.0, angle);
    }
    return result;
}
} // namespace

extern "C" {

int cufftGetVersion(int *version) { return *version = 12000, 0; }
int cufftPlan1d(Plan *plan, int size, int, int) { return *plan = ++plans, sizes[plans] = size, 0; }
int cufftDestroy(Plan) { return 0; }

int cufftExecR2C(Plan plan, const float *in, Complex *out) {
    wait_for_devices();
    const int size = sizes[plan];
    for (int at = 0; at <= size / 2; ++at) out[at] = sum(size, at, -1, [&](int k) { return double(in[k]); });
    return 0;
}
int cufftExecC2R(Plan plan, const Complex *in, float *out) {
    wait_for_devices();
    const int size = sizes[plan];
    const std::vector<Complex> half(in, in + size / 2 + 1);
    const auto whole = [&](int k) { return k <= size / 2 ? half[k] : std::conj(half[size - k]); };
    for (int at = 0; at < size; ++at) out[at] = float(sum(size, at, 1, whole).real());
    return 0;
}
}
