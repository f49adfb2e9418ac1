/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture.h - reads the texts of an SVG back as boxes, to see whether any of them meet or leave the
 * paper. It knows nothing of how they were placed. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_TEXTS = 600 };

struct picture_text {
    double x, y, w, h; /* upper left corner */
    char text[80];
};

struct picture {
    double width, height;
    size_t count;
    struct picture_text texts[PICTURE_TEXTS];
};

/* The number of an attribute in the element that begins at `at`. */
static inline double picture_number(const char *at, const char *name)
{
    char want[40];
    (void)snprintf(want, sizeof want, " %s=\"", name);
    const char *found = strstr(at, want);
    return found != NULL && found < strchr(at, '>') ? strtod(found + strlen(want), NULL) : -1;
}

static inline void picture_read(struct picture *p, const char *svg)
{
    const char *at = strstr(svg, "<svg");
    p->count = 0;
    p->width = picture_number(at, "width");
    p->height = picture_number(at, "height");
    for (at = strstr(at, "<text "); at != NULL && p->count < PICTURE_TEXTS;
         at = strstr(at + 1, "<text ")) {
        struct picture_text *t = &p->texts[p->count++];
        double size = picture_number(at, "font-size");
        t->x = picture_number(at, "x");
        t->w = picture_number(at, "textLength");
        t->y = picture_number(at, "y") - 0.74 * size; /* from the base line to the capitals' top */
        t->h = 0.92 * size;
        const char *words = strchr(at, '>') + 1;
        size_t len = strcspn(words, "<");
        len = len < sizeof t->text - 1 ? len : sizeof t->text - 1;
        memcpy(t->text, words, len);
        t->text[len] = '\0';
    }
}

/* Prints what is wrong; the number of faults. */
static inline size_t picture_faults(const struct picture *p)
{
    size_t faults = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct picture_text *a = &p->texts[i];
        if (a->x < 0 || a->y < 0 || a->x + a->w > p->width || a->y + a->h > p->height) {
            (void)fprintf(stderr, "leaves the paper: %s\n", a->text);
            faults++;
        }
        for (size_t k = i + 1; k < p->count; k++) {
            const struct picture_text *b = &p->texts[k];
            if (a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
                b->y < a->y + a->h) {
                (void)fprintf(stderr, "meet: %s | %s\n", a->text, b->text);
                faults++;
            }
        }
    }
    return faults;
}

#endif
