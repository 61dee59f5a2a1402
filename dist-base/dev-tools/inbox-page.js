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
import { Clock } from '../common/clock/index.js';
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** The inbox as a page for people. */
let InboxPage = class InboxPage {
    clock;
    template = Handlebars.compile(readFileSync(join(import.meta.dirname, 'templates', 'inbox.hbs'), 'utf8'), { strict: true });
    constructor(clock) {
        this.clock = clock;
    }
    render(mails, query, total) {
        return this.template({ mails: mails.map((mail) => this.entry(mail)), query, total });
    }
    entry({ _id, to, subject, kind, sent_at, otp, link, text }) {
        return {
            id: _id.toHexString(),
            to,
            subject,
            kind,
            sent_at: sent_at.toISOString(),
            ago: this.ago(sent_at),
            otp,
            link,
            text,
        };
    }
    ago(moment) {
        const seconds = Math.round((moment.getTime() - this.clock.nowMs()) / 1000);
        if (seconds > -60)
            return 'just now';
        if (seconds > -3_600)
            return RELATIVE.format(Math.round(seconds / 60), 'minute');
        if (seconds > -86_400)
            return RELATIVE.format(Math.round(seconds / 3_600), 'hour');
        return RELATIVE.format(Math.round(seconds / 86_400), 'day');
    }
};
InboxPage = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Clock])
], InboxPage);
export { InboxPage };
//# sourceMappingURL=inbox-page.js.map