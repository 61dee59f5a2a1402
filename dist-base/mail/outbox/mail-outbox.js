var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable } from '@nestjs/common';
import { MailSeal } from './mail-seal.js';
import { MailWorker } from './mail-worker.js';
import { MailsRepository } from './mails.repository.js';
/** Where features hand in mails. A mail is stored, in the caller's transaction if there is one, and sent afterwards. */
let MailOutbox = class MailOutbox {
    mails;
    seal;
    worker;
    constructor(mails, seal, worker) {
        this.mails = mails;
        this.seal = seal;
        this.worker = worker;
    }
    async post({ kind, to, context, expiresAt, isDecoy = false }) {
        await this.mails.insert({ kind, to, sealed: this.seal.seal(context), expiresAt, isDecoy });
        this.worker.wake();
    }
};
MailOutbox = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [MailsRepository,
        MailSeal,
        MailWorker])
], MailOutbox);
export { MailOutbox };
//# sourceMappingURL=mail-outbox.js.map