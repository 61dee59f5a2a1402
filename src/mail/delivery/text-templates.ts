import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { MAIL_KINDS, type MailKind } from '../mail-kinds.js';

export const TEMPLATE_DIRECTORY = join(import.meta.dirname, '..', 'templates');

/**
 * Renders the text parts of mails. The mailer renders HTML only, and its own text templates have no conditions. All files are
 * read when the service starts, so that a missing one is noticed then, and not with the first mail.
 */
@Injectable()
export class TextTemplates {
  private readonly templates: Map<MailKind, Handlebars.TemplateDelegate>;

  constructor() {
    this.templates = new Map(
      MAIL_KINDS.map((kind) => {
        const source = readFileSync(join(TEMPLATE_DIRECTORY, `${kind}.text.hbs`), 'utf8');
        readFileSync(join(TEMPLATE_DIRECTORY, `${kind}.hbs`));
        return [kind, Handlebars.compile(source, { noEscape: true, strict: true })];
      }),
    );
  }

  render(kind: MailKind, context: object): string {
    return this.templates.get(kind)?.(context) ?? '';
  }
}
