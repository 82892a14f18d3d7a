#if !__has_include(<adwaita.h>)
#error "The headers of libadwaita are missing: run Scripts/setup of swift-web-image, or install libadwaita-1-dev"
#else

#include <adwaita.h>

#endif
