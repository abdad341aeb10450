// The version of BridgeStan's interface (bridgestan.h) that this library has.
#pragma once

namespace kullback::capi {

inline constexpr int kInterfaceMajor = 2;
inline constexpr int kInterfaceMinor = 9;
inline constexpr int kInterfacePatch = 0;

}  // namespace kullback::capi
