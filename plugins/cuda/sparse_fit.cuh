/* The factor model of CSR data: products and quotients at the stored entries alone, of X and of its
 * transpose, which lie on the device (sparse_rows.cuh). The rest is that of plain_fit.cuh. */
#ifndef CUDA_SPARSE_FIT_CUH
#define CUDA_SPARSE_FIT_CUH

#include "plain_fit.cuh"
#include "sparse_matrix.cuh"

template <typename T> class sparse_fit : public plain_fit<T>
{
  public:
    sparse_fit(const device_problem &problem, int rank_step) : plain_fit<T>(problem, rank_step) {}

    int64_t bytes() override
    {
        return plain_fit<T>::bytes() +
               sparse_matrix<T>::bytes(n, m, q.start[n], kp, true) +
               (n + m + 2 * SPARSE_PARTS) * (int64_t)sizeof(double);
    }

    bool open() override
    {
        if (!plain_fit<T>::open() ||
            !X.open(this, stream, n, m, q.start, q.column, (const T *)q.values, kp, true))
            return false;
        item_values = memory.template make<double>(this, X.most_items(), "partial sums");
        fitted = memory.template make<double>(this, 2 * (int64_t)k * k, "Gram matrices");
        return !this->failed();
    }

  protected:
    using plain_fit<T>::q;
    using plain_fit<T>::n;
    using plain_fit<T>::m;
    using plain_fit<T>::k;
    using plain_fit<T>::kp;
    using plain_fit<T>::kl;
    using plain_fit<T>::W;
    using plain_fit<T>::S;
    using plain_fit<T>::N;
    using plain_fit<T>::D;
    using plain_fit<T>::A;
    using plain_fit<T>::G;
    using plain_fit<T>::stream;
    using plain_fit<T>::memory;
    using plain_fit<T>::scalars;

    const sparse_matrix<T> *sparse_data() const override { return &X; }

    void multiply_data(const data_piece<T> &) override
    {
        launch_rows(SPARSE_PRODUCTS, X.rows(), {S, W, N, kp, kp, nullptr}, stream);
    }

    void add_data(const data_piece<T> &) override
    {
        launch_rows(SPARSE_PRODUCTS, X.columns(), {W, S, A, kp, kp, nullptr}, stream);
    }

    void make_numerators(const data_piece<T> &p, const device_step *step) override
    {
        if (!kl) {
            plain_fit<T>::make_numerators(p, step);
            return;
        }
        launch_rows(SPARSE_QUOTIENTS, X.rows(), {S, W, N, kp, kp, nullptr}, stream);
        repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D, n * kp, kp, k,
                                                                  this->columns_W);
    }

    void add_sums(const data_piece<T> &p) override
    {
        if (!kl) {
            plain_fit<T>::add_sums(p);
            return;
        }
        launch_rows(SPARSE_QUOTIENTS, X.columns(), {W, S, A, kp, kp, item_values}, stream);
        this->sum(one_number{item_values}, X.columns().item_count, scalars + SCALARS);
    }

    /* |W S'|^2 from Gram matrices in double, and what the stored entries change. */
    bool residual(double *value) override
    {
        double found[2];
        const sparse_view<T> rows = X.rows();
        gram_in_double<<<dim3(k, k), SUM_THREADS, 0, stream>>>(fitted, W, m, kp, k);
        gram_in_double<<<dim3(k, k), SUM_THREADS, 0, stream>>>(fitted + k * k, S, n, kp, k);
        this->sum(product_term<double>{fitted, fitted + k * k}, (int64_t)k * k, scalars);
        launch_rows(SPARSE_RESIDUAL, rows, {S, W, N, kp, kp, item_values}, stream);
        this->sum(one_number{item_values}, rows.item_count, scalars + 1);
        if (!this->launched("the objective") || !this->fetch(found, scalars, 2))
            return false;
        *value = found[0] + found[1] > 0 ? found[0] + found[1] : 0;
        return true;
    }

  private:
    sparse_matrix<T> X;
    double *item_values = nullptr, *fitted = nullptr;
};

#endif
