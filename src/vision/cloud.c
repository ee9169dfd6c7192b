/* Roles of a file's properties, the points themselves, and the choice of the reader. */
#include "vision/cloud.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/file.h"
#include "core/memory.h"

cloud_role cloud_role_of(const char *name)
{
    static const struct {
        const char *name;
        cloud_role role;
    } known[] = {
        {"x", CLOUD_X},
        {"y", CLOUD_Y},
        {"z", CLOUD_Z},
        {"nx", CLOUD_NX},
        {"ny", CLOUD_NY},
        {"nz", CLOUD_NZ},
        {"normal_x", CLOUD_NX},
        {"normal_y", CLOUD_NY},
        {"normal_z", CLOUD_NZ},
        {"red", CLOUD_RED},
        {"green", CLOUD_GREEN},
        {"blue", CLOUD_BLUE},
        {"r", CLOUD_RED},
        {"g", CLOUD_GREEN},
        {"b", CLOUD_BLUE},
        {"diffuse_red", CLOUD_RED},
        {"diffuse_green", CLOUD_GREEN},
        {"diffuse_blue", CLOUD_BLUE},
        {"rgb", CLOUD_PACKED},
        {"rgba", CLOUD_PACKED},
        {"label", CLOUD_CLASS},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0)
            return known[i].role;
    return CLOUD_OTHER;
}

static bool has_role(const cloud_role *roles, int count, cloud_role role)
{
    for (int i = 0; i < count; i++)
        if (roles[i] == role)
            return true;
    return false;
}

static bool has_three(const cloud_role *roles, int count, cloud_role first)
{
    return has_role(roles, count, first) && has_role(roles, count, first + 1) &&
           has_role(roles, count, first + 2);
}

static void drop_three(cloud_role *roles, int count, cloud_role first)
{
    for (int i = 0; i < count; i++)
        if (roles[i] >= first && roles[i] <= first + 2)
            roles[i] = CLOUD_OTHER;
}

int cloud_settle_roles(cloud_role *roles, int count)
{
    for (int i = 0; i < count; i++)
        if (has_role(roles, i, roles[i]))
            roles[i] = CLOUD_OTHER;
    if (!has_three(roles, count, CLOUD_X))
        return -1;
    int with = 0;
    if (has_three(roles, count, CLOUD_NX))
        with |= CLOUD_NORMAL;
    else
        drop_three(roles, count, CLOUD_NX);
    if (has_three(roles, count, CLOUD_RED) || has_role(roles, count, CLOUD_PACKED))
        with |= CLOUD_COLOR;
    if (!has_three(roles, count, CLOUD_RED))
        drop_three(roles, count, CLOUD_RED);
    if (has_role(roles, count, CLOUD_CLASS))
        with |= CLOUD_LABEL;
    return with;
}

void cloud_free(cloud *of)
{
    if (!of || !of->ctx)
        return;
    memory_free(of->ctx, of->name);
    memory_free(of->ctx, of->position);
    memory_free(of->ctx, of->color);
    memory_free(of->ctx, of->normal);
    memory_free(of->ctx, of->label);
    memory_free(of->ctx, of->keep);
    *of = (cloud){0};
}

orthant_status cloud_begin(orthant_context *ctx, const char *path, int64_t count, int with,
                           cloud *out)
{
    *out = (cloud){.ctx = ctx, .count = count, .width = count, .height = 1};
    if (count >= INT32_MAX)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "%s: %" PRId64 " points, expected at most %d",
                    path, count, INT32_MAX - 1);
    out->name = memory_text(ctx, path);
    out->position = memory_new(ctx, 3 * count, sizeof *out->position, "points");
    if (with & CLOUD_COLOR)
        out->color = memory_new(ctx, 3 * count, sizeof *out->color, "colours of points");
    if (with & CLOUD_NORMAL)
        out->normal = memory_new(ctx, 3 * count, sizeof *out->normal, "normals of points");
    if (with & CLOUD_LABEL)
        out->label = memory_new(ctx, count, sizeof *out->label, "labels of points");
    if (!out->name || !out->position || ((with & CLOUD_COLOR) && !out->color) ||
        ((with & CLOUD_NORMAL) && !out->normal) || ((with & CLOUD_LABEL) && !out->label)) {
        cloud_free(out);
        return ORTHANT_ERROR_MEMORY;
    }
    return ORTHANT_OK;
}

double cloud_as_declared(double value, int size)
{
    return size == 4 && fabs(value) <= (double)FLT_MAX ? (double)(float)value : value;
}

static unsigned char to_byte(double value)
{
    return (unsigned char)(value > 0.0 ? value < 255.0 ? value + 0.5 : 255.0 : 0.0);
}

void cloud_put(cloud *to, int64_t point, cloud_role role, double value)
{
    switch (role) {
    case CLOUD_X:
    case CLOUD_Y:
    case CLOUD_Z: to->position[3 * point + (role - CLOUD_X)] = value; break;
    case CLOUD_NX:
    case CLOUD_NY:
    case CLOUD_NZ:
        to->normal[3 * point + (role - CLOUD_NX)] = fabs(value) <= 1e30 ? (float)value : NAN;
        break;
    case CLOUD_RED:
    case CLOUD_GREEN:
    case CLOUD_BLUE: to->color[3 * point + (role - CLOUD_RED)] = to_byte(value); break;
    case CLOUD_PACKED: {
        const uint32_t bits = value >= 0.0 && value < 4294967296.0 ? (uint32_t)value : 0;
        to->color[3 * point] = (unsigned char)(bits >> 16 & 255);
        to->color[3 * point + 1] = (unsigned char)(bits >> 8 & 255);
        to->color[3 * point + 2] = (unsigned char)(bits & 255);
        break;
    }
    case CLOUD_CLASS: to->label[point] = fabs(value) <= INT32_MAX ? (int32_t)value : -1; break;
    case CLOUD_OTHER: break;
    }
}

/* The square of a coordinate's distance must stay finite. */
static bool usable(const double *position)
{
    return fabs(position[0]) < 1e100 && fabs(position[1]) < 1e100 && fabs(position[2]) < 1e100;
}

orthant_status cloud_end(cloud *of)
{
    for (int64_t i = 0; i < of->count; i++)
        of->kept += usable(of->position + 3 * i);
    of->keep = memory_new(of->ctx, of->kept, sizeof *of->keep, "points with a position");
    if (!of->keep)
        return ORTHANT_ERROR_MEMORY;
    of->kept = 0;
    for (int64_t i = 0; i < of->count; i++)
        if (usable(of->position + 3 * i))
            of->keep[of->kept++] = (int32_t)i;
    return ORTHANT_OK;
}

typedef enum cloud_kind { KIND_NONE, KIND_PCD, KIND_PLY } cloud_kind;

/* A PCD may open with a comment or with any line of its header. */
static cloud_kind kind_of(const unsigned char *first, size_t length)
{
    static const char *const openings[] = {"# .PCD", "VERSION", "FIELDS", "COLUMNS"};
    if (length >= 4 && memcmp(first, "ply", 3) == 0 && (first[3] == '\n' || first[3] == '\r'))
        return KIND_PLY;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        if (length >= strlen(openings[i]) && memcmp(first, openings[i], strlen(openings[i])) == 0)
            return KIND_PCD;
    return KIND_NONE;
}

static cloud_kind kind_by_ending(const char *path)
{
    char ending[16];
    file_ending(path, ending);
    return strcmp(ending, "pcd") == 0   ? KIND_PCD
           : strcmp(ending, "ply") == 0 ? KIND_PLY
                                        : KIND_NONE;
}

bool cloud_is_cloud(const char *path)
{
    unsigned char first[8] = {0};
    if (kind_by_ending(path) != KIND_NONE)
        return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const size_t length = fread(first, 1, sizeof first, file);
    fclose(file);
    return kind_of(first, length) != KIND_NONE;
}

orthant_status cloud_read(orthant_context *ctx, const char *path, cloud *out)
{
    unsigned char first[8] = {0};
    FILE *file = NULL;
    *out = (cloud){0};
    orthant_status status = file_open(ctx, path, &file);
    if (status != ORTHANT_OK)
        return status;
    const size_t length = fread(first, 1, sizeof first, file);
    fclose(file);
    cloud_kind kind = kind_of(first, length);
    if (kind == KIND_NONE && length > 0)
        kind = kind_by_ending(path);
    if (kind == KIND_PCD)
        status = cloud_read_pcd(ctx, path, out);
    else if (kind == KIND_PLY)
        status = cloud_read_ply(ctx, path, out);
    else
        status = fail(ctx, ORTHANT_ERROR_FORMAT,
                      "%s: not a point cloud; expected a PCD or a PLY file", path);
    if (status == ORTHANT_OK)
        status = cloud_end(out);
    if (status != ORTHANT_OK)
        cloud_free(out);
    return status;
}
