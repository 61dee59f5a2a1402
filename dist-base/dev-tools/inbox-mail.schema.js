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
const RETENTION_SECONDS = 7 * 86_400;
/** A mail of the development inbox. It holds its code in the clear: this collection does not exist in production. */
let InboxMail = class InboxMail {
    _id;
    kind;
    to;
    /** The address in lower case. */
    to_key;
    subject;
    text;
    html;
    otp;
    token;
    link;
    sent_at;
};
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "kind", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "to", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "to_key", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "subject", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "text", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], InboxMail.prototype, "html", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], InboxMail.prototype, "otp", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], InboxMail.prototype, "token", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], InboxMail.prototype, "link", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], InboxMail.prototype, "sent_at", void 0);
InboxMail = __decorate([
    Schema({ collection: 'dev_inbox', versionKey: false })
], InboxMail);
export { InboxMail };
export const InboxMailSchema = SchemaFactory.createForClass(InboxMail);
InboxMailSchema.index({ to_key: 1, sent_at: -1 });
InboxMailSchema.index({ sent_at: -1 }, { expireAfterSeconds: RETENTION_SECONDS });
//# sourceMappingURL=inbox-mail.schema.js.map