/* Products with a similarity that is a matrix, or a factor times its transpose. */
#include "method/similar.h"

#include "core/memory.h"
#include "engine/products.h"

orthant_status view_matrix(similarity_view *view, orthant_context *ctx,
                           const orthant_matrix *matrix, int64_t q)
{
    const int64_t bytes = products_symmetric_bytes(matrix, q);
    *view = (similarity_view){.matrix = matrix, .squares = matrix_squares(matrix)};
    if (ctx->device)
        return kernel_device_open(&view->device, ctx, matrix, q, false, false);
    if (bytes > 0)
        view->scratch = memory_new(ctx, bytes, 1, "packed factors");
    return bytes > 0 && !view->scratch ? ORTHANT_ERROR_MEMORY : ORTHANT_OK;
}

orthant_status view_panels(similarity_view *view, panels *p, fit *f, int together)
{
    const orthant_status status =
        panels_setup(p, f->ctx, f->samples->precision, f->samples->rows, f->model->rank, together);
    p->device = view->device.verbs ? &view->device : NULL;
    return status;
}

void view_release(similarity_view *view, orthant_context *ctx)
{
    kernel_device_close(&view->device);
    memory_free(ctx, view->scratch);
}

void view_factor(similarity_view *view, panels *p, array factor, double *small)
{
    panels_gram(p, factor, factor, small);
    *view = (similarity_view){.factor = factor, .squares = small_dot(p->q, small, small)};
}

void view_product(similarity_view *view, panels *p, array b, array c)
{
    view->products++;
    if (view->device.verbs) {
        kernel_device_multiply(&view->device, b, c, (array){0});
        return;
    }
    if (view->matrix) {
        products_symmetric(p->ctx, view->matrix, b, c, view->scratch);
        return;
    }
    panels_gram(p, view->factor, b, p->small);
    panels_product(p, c, view->factor, p->small, false);
}
