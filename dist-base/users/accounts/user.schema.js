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
export const USER_STATUSES = ['pending', 'active', 'inactive'];
/** Who a person is, and the password's hash. Names and addresses are kept as typed; the keys make them unique. */
let User = class User {
    _id;
    last_name;
    first_name;
    username;
    /** The username in lower case. */
    username_key;
    email;
    /** The e-mail address in lower case. */
    email_key;
    /** bcrypt hash. */
    password;
    created_at;
    updated_at;
    deleted_at;
    /**
     * `pending` until the address is confirmed, `active`, or `inactive`: disabled or deleted. It follows from the auth
     * record and stands here too, so that a list can be filtered by an index.
     */
    status;
    /** Set while the e-mail address is unconfirmed: the account is purged then. */
    unconfirmed_until;
};
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "last_name", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "first_name", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "username", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "username_key", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "email", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "email_key", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], User.prototype, "password", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], User.prototype, "created_at", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], User.prototype, "updated_at", void 0);
__decorate([
    Prop({ type: Date, default: null }),
    __metadata("design:type", Object)
], User.prototype, "deleted_at", void 0);
__decorate([
    Prop({ type: String, enum: USER_STATUSES, required: true }),
    __metadata("design:type", String)
], User.prototype, "status", void 0);
__decorate([
    Prop({ type: Date }),
    __metadata("design:type", Date)
], User.prototype, "unconfirmed_until", void 0);
User = __decorate([
    Schema({ collection: 'users', versionKey: false })
], User);
export { User };
export const UserSchema = SchemaFactory.createForClass(User);
UserSchema.index({ username_key: 1 }, { unique: true });
UserSchema.index({ email_key: 1 }, { unique: true });
UserSchema.index({ created_at: -1, _id: -1 });
UserSchema.index({ status: 1, created_at: -1, _id: -1 });
UserSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
//# sourceMappingURL=user.schema.js.map