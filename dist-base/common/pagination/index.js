export { toPage } from './page.js';
export { PageQueryDto } from './page-query.dto.js';
//# sourceMappingURL=index.js.map