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
import { Types } from 'mongoose';
export const SECRET_PURPOSES = ['email_verification', 'password_reset'];
/** At most one per subject and purpose; issuing anew replaces it, so only the newest can be used. */
let OneTimeSecret = class OneTimeSecret {
    /** The account, or a decoy that stands for an address without one. */
    subject;
    purpose;
    /** bcrypt of an OTP, SHA-256 of a reset token; null once consumed. */
    hash;
    tries_left;
    expires_at;
    /** The latest issues, oldest first; they limit how many mails a recipient gets. */
    issued_at;
    last_issued_at;
    /** When neither the secret nor its history of issues matters any more. */
    purge_at;
};
__decorate([
    Prop({ type: Types.ObjectId, required: true }),
    __metadata("design:type", Types.ObjectId)
], OneTimeSecret.prototype, "subject", void 0);
__decorate([
    Prop({ type: String, enum: SECRET_PURPOSES, required: true }),
    __metadata("design:type", String)
], OneTimeSecret.prototype, "purpose", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], OneTimeSecret.prototype, "hash", void 0);
__decorate([
    Prop({ type: Number, required: true }),
    __metadata("design:type", Number)
], OneTimeSecret.prototype, "tries_left", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], OneTimeSecret.prototype, "expires_at", void 0);
__decorate([
    Prop({ type: [Date], required: true }),
    __metadata("design:type", Array)
], OneTimeSecret.prototype, "issued_at", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], OneTimeSecret.prototype, "last_issued_at", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], OneTimeSecret.prototype, "purge_at", void 0);
OneTimeSecret = __decorate([
    Schema({ collection: 'one_time_secrets', versionKey: false })
], OneTimeSecret);
export { OneTimeSecret };
export const OneTimeSecretSchema = SchemaFactory.createForClass(OneTimeSecret);
OneTimeSecretSchema.index({ subject: 1, purpose: 1 }, { unique: true });
OneTimeSecretSchema.index({ hash: 1 }, { partialFilterExpression: { purpose: 'password_reset' } });
OneTimeSecretSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
//# sourceMappingURL=one-time-secret.schema.js.map