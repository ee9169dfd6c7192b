/* Products with a similarity that is a matrix, or a factor times its transpose. */
#include "method/similar.h"

#include "engine/products.h"

void view_matrix(similarity_view *view, const orthant_matrix *matrix)
{
    *view = (similarity_view){.matrix = matrix, .squares = matrix_squares(matrix)};
}

void view_factor(similarity_view *view, panels *p, array factor, double *small)
{
    panels_gram(p, factor, factor, small);
    *view = (similarity_view){.factor = factor, .squares = small_dot(p->q, small, small)};
}

void view_product(similarity_view *view, panels *p, array b, array c)
{
    view->products++;
    if (view->matrix) {
        products_forward(p->ctx, view->matrix, b, c);
        return;
    }
    panels_gram(p, view->factor, b, p->small);
    panels_product(p, c, view->factor, p->small, false);
}
