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
/** What an account may do, and in which state it is. One for each user. */
let Auth = class Auth {
    _id;
    user;
    role;
    confirmed_at;
    disabled_at;
    /** Grows with each change of the credential; sessions of an older version are dead. */
    credential_version;
    /** After its-not-me: the old password no longer logs in. */
    password_reset_required;
    /** As in User. */
    unconfirmed_until;
};
__decorate([
    Prop({ type: Types.ObjectId, required: true }),
    __metadata("design:type", Types.ObjectId)
], Auth.prototype, "user", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], Auth.prototype, "role", void 0);
__decorate([
    Prop({ type: Date, default: null }),
    __metadata("design:type", Object)
], Auth.prototype, "confirmed_at", void 0);
__decorate([
    Prop({ type: Date, default: null }),
    __metadata("design:type", Object)
], Auth.prototype, "disabled_at", void 0);
__decorate([
    Prop({ type: Number, default: 1 }),
    __metadata("design:type", Number)
], Auth.prototype, "credential_version", void 0);
__decorate([
    Prop({ type: Boolean, default: false }),
    __metadata("design:type", Boolean)
], Auth.prototype, "password_reset_required", void 0);
__decorate([
    Prop({ type: Date }),
    __metadata("design:type", Date)
], Auth.prototype, "unconfirmed_until", void 0);
Auth = __decorate([
    Schema({ collection: 'auths', versionKey: false })
], Auth);
export { Auth };
export const AuthSchema = SchemaFactory.createForClass(Auth);
AuthSchema.index({ user: 1 }, { unique: true });
AuthSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
//# sourceMappingURL=auth.schema.js.map