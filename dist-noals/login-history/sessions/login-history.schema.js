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
/** Retention of the login history, by the specification: 90 days. */
const RETENTION_SECONDS = 7_776_000;
/** A login, which is at the same time the session it opened: without this entry its tokens are worth nothing. */
let LoginHistory = class LoginHistory {
    _id;
    auth;
    user;
    ip;
    /** `sha256:<hex>` of the latest access token: a stolen backup is no set of live sessions. */
    token;
    /** `sha256:<hex>` of the current refresh token. */
    refresh_token;
    login_at;
    devices;
    locations;
    user_agent;
    /** Counts the rotations of the refresh token; comparing and raising it decides which refresh wins. */
    generation;
    /** When the current generation began. */
    rotated_at;
    /** The account's credential version at login; an older one than the account's is a dead session. */
    credential_version;
};
__decorate([
    Prop({ type: Types.ObjectId, required: true }),
    __metadata("design:type", Types.ObjectId)
], LoginHistory.prototype, "auth", void 0);
__decorate([
    Prop({ type: Types.ObjectId, required: true }),
    __metadata("design:type", Types.ObjectId)
], LoginHistory.prototype, "user", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], LoginHistory.prototype, "ip", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], LoginHistory.prototype, "token", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], LoginHistory.prototype, "refresh_token", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], LoginHistory.prototype, "login_at", void 0);
__decorate([
    Prop({ type: Object }),
    __metadata("design:type", Object)
], LoginHistory.prototype, "devices", void 0);
__decorate([
    Prop({ type: Object }),
    __metadata("design:type", Object)
], LoginHistory.prototype, "locations", void 0);
__decorate([
    Prop({ type: String }),
    __metadata("design:type", String)
], LoginHistory.prototype, "user_agent", void 0);
__decorate([
    Prop({ type: Number, required: true }),
    __metadata("design:type", Number)
], LoginHistory.prototype, "generation", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], LoginHistory.prototype, "rotated_at", void 0);
__decorate([
    Prop({ type: Number, required: true }),
    __metadata("design:type", Number)
], LoginHistory.prototype, "credential_version", void 0);
LoginHistory = __decorate([
    Schema({ collection: 'login_histories', versionKey: false })
], LoginHistory);
export { LoginHistory };
export const LoginHistorySchema = SchemaFactory.createForClass(LoginHistory);
LoginHistorySchema.index({ user: 1, login_at: -1 });
LoginHistorySchema.index({ login_at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });
//# sourceMappingURL=login-history.schema.js.map