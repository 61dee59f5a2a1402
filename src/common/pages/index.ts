export { type Page, renderPage } from './page.js';
export { ServesPages } from './serves-pages.decorator.js';
