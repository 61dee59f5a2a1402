var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
/**
 * `waiting` for its turn or its next attempt; `sending`, leased by one worker; `sent`; `expired`, its code came of age
 * before it could be sent; `superseded` by a newer mail of its kind; `failed`, refused for good; `decoy`, written in
 * place of a mail that nobody must get.
 */
export const MAIL_STATES = ['waiting', 'sending', 'sent', 'expired', 'superseded', 'failed', 'decoy'];
let StoredMail = class StoredMail {
    _id;
    kind;
    to;
    state;
    /** The mail's context, encrypted: it holds the code that elsewhere is stored as a hash. null once it is of no more use. */
    sealed;
    attempts;
    next_attempt_at;
    /** While `sending`: when another worker may take the mail over. */
    leased_until;
    /** After this the mail is of no use and is not sent. */
    expires_at;
    created_at;
    sent_at;
    /** What the mail server last said. */
    last_error;
    purge_at;
};
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], StoredMail.prototype, "kind", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], StoredMail.prototype, "to", void 0);
__decorate([
    Prop({ type: String, enum: MAIL_STATES, required: true }),
    __metadata("design:type", String)
], StoredMail.prototype, "state", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], StoredMail.prototype, "sealed", void 0);
__decorate([
    Prop({ type: Number, default: 0 }),
    __metadata("design:type", Number)
], StoredMail.prototype, "attempts", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], StoredMail.prototype, "next_attempt_at", void 0);
__decorate([
    Prop({ type: Date }),
    __metadata("design:type", Date)
], StoredMail.prototype, "leased_until", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], StoredMail.prototype, "expires_at", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], StoredMail.prototype, "created_at", void 0);
__decorate([
    Prop({ type: Date }),
    __metadata("design:type", Date)
], StoredMail.prototype, "sent_at", void 0);
__decorate([
    Prop({ type: String }),
    __metadata("design:type", String)
], StoredMail.prototype, "last_error", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], StoredMail.prototype, "purge_at", void 0);
StoredMail = __decorate([
    Schema({ collection: 'mails', versionKey: false })
], StoredMail);
export { StoredMail };
export const StoredMailSchema = SchemaFactory.createForClass(StoredMail);
StoredMailSchema.index({ state: 1, next_attempt_at: 1 });
StoredMailSchema.index({ to: 1, kind: 1, state: 1 });
StoredMailSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
//# sourceMappingURL=stored-mail.schema.js.map