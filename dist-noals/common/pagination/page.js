export function toPage(content, total, { page, limit }) {
    const totalPages = Math.ceil(total / limit);
    return {
        content,
        pagination: { total, page, limit, totalPages, hasNextPage: page < totalPages, hasPrevPage: page > 1 },
    };
}
//# sourceMappingURL=page.js.map