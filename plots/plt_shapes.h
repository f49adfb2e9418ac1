/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_shapes.h - what is drawn and with what: points, boxes, pens, types. Places and sizes are in
 * pixels, from the upper left corner. */
#ifndef PLT_SHAPES_H
#define PLT_SHAPES_H

#include "plots/plt_theme.h"

struct plt_point {
    double x, y;
};

struct plt_box {
    double x, y, w, h;
};

/* Patterns that tell lines apart in grey. */
enum plt_dash { PLT_SOLID, PLT_DASHED, PLT_DOTTED, PLT_DASH_DOT, PLT_DASH_COUNT };

struct plt_pen {
    struct plt_ink ink;
    double width;
    enum plt_dash dash;
};

enum plt_align { PLT_LEFT, PLT_CENTRE, PLT_RIGHT };

struct plt_type {
    double size;
    bool bold;
    enum plt_align align;
    struct plt_ink ink;
    double wrap; /* lines are broken at this width, flush left; 0: one line */
    bool halo;   /* on a ground of paper, so that it can be read over lines */
};

#define PLT_FONTS "DejaVu Sans,Verdana,Liberation Sans,Arial,sans-serif"

#endif
