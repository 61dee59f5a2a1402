import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import Handlebars from 'handlebars';

/** A page for people. */
export interface HtmlPage {
  title: string;
  /** HTML, escaped where it was made. */
  body: string;
}

const STYLE = `
body { margin: 0; padding: 10vh 16px 0; background: #f3f5f4; color: #2e3935; font: 16px/26px system-ui, sans-serif; }
main { max-width: 480px; margin: 0 auto; padding: 32px 40px; background: #fff; border: 1px solid #dfe4e1; border-radius: 8px; }
h1 { margin: 0 0 16px; font-size: 24px; line-height: 32px; color: #18211e; }
button { padding: 12px 26px; border: 2px solid transparent; border-radius: 6px; background: #0f6b5c; color: #fff; font: 600 16px/20px system-ui, sans-serif; cursor: pointer; }
@media (prefers-color-scheme: dark) {
  body { background: #121715; color: #d5dcd9; }
  main { background: #1b2220; border-color: #303a36; }
  h1 { color: #f1f5f3; }
  button { background: #5fcab5; color: #0b1f1b; }
}
`;

/** Allows the page's style by its digest; pages have no script and load nothing. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

const template = Handlebars.compile(readFileSync(join(import.meta.dirname, 'templates', 'page.hbs'), 'utf8'), {
  strict: true,
});

/** Sets the headers of a page. @returns its HTML */
export function renderHtmlPage(reply: FastifyReply, page: HtmlPage): string {
  reply.headers(HEADERS);
  return template({ ...page, style: STYLE });
}
