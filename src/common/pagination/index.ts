export { type Page, toPage } from './page.js';
export { PageQueryDto } from './page-query.dto.js';
