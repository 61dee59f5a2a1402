var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { Clock } from '../common/clock/index.js';
import { MailInbox } from '../mail/index.js';
import { InboxMail } from './inbox-mail.schema.js';
/** Takes the mails that no mail server takes, and keeps them for a week. Fulfils the mail room's port MailInbox. */
let DevelopmentInbox = class DevelopmentInbox extends MailInbox {
    model;
    clock;
    constructor(model, clock) {
        super();
        this.model = model;
        this.clock = clock;
    }
    async receive({ id, ...mail }) {
        await this.model.updateOne({ _id: new Types.ObjectId(id) }, { $setOnInsert: { ...mail, to_key: mail.to.toLowerCase(), sent_at: this.clock.now() } }, { upsert: true });
    }
    /** Newest first. @param to only mails to this address */
    async list(to, limit) {
        return this.model
            .find(to ? { to_key: to.toLowerCase() } : {})
            .sort({ sent_at: -1, _id: -1 })
            .limit(limit)
            .lean();
    }
    async count() {
        return this.model.countDocuments();
    }
};
DevelopmentInbox = __decorate([
    Injectable(),
    __param(0, InjectModel(InboxMail.name)),
    __metadata("design:paramtypes", [Function, Clock])
], DevelopmentInbox);
export { DevelopmentInbox };
//# sourceMappingURL=development-inbox.js.map