var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { MAIL_KINDS } from '../mail-kinds.js';
export const TEMPLATE_DIRECTORY = join(import.meta.dirname, '..', 'templates');
/**
 * The text parts. The mailer renders HTML only; its own text templates know no conditions. Reading all files when
 * the service starts also shows a missing one then, and not as an exception at the first mail.
 */
let TextTemplates = class TextTemplates {
    templates;
    constructor() {
        this.templates = new Map(MAIL_KINDS.map((kind) => {
            const source = readFileSync(join(TEMPLATE_DIRECTORY, `${kind}.text.hbs`), 'utf8');
            readFileSync(join(TEMPLATE_DIRECTORY, `${kind}.hbs`));
            return [kind, Handlebars.compile(source, { noEscape: true, strict: true })];
        }));
    }
    render(kind, context) {
        return this.templates.get(kind)?.(context) ?? '';
    }
};
TextTemplates = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [])
], TextTemplates);
export { TextTemplates };
//# sourceMappingURL=text-templates.js.map