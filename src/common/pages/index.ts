export { type HtmlPage, renderHtmlPage } from './page.js';
export { ServesPages } from './serves-pages.decorator.js';
