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
import { SECURITY_EVENT_KINDS } from './security-event-kinds.js';
const RETENTION_SECONDS = 7_776_000;
/** Who did what, when, from where, and how it ended. No secret, and no name that somebody typed. */
let SecurityEvent = class SecurityEvent {
    _id;
    kind;
    outcome;
    at;
    /** The account concerned, where there is one. */
    user;
    session;
    ip;
    request_id;
    /** Error code, route, or the like. */
    detail;
};
__decorate([
    Prop({ type: String, enum: SECURITY_EVENT_KINDS, required: true }),
    __metadata("design:type", String)
], SecurityEvent.prototype, "kind", void 0);
__decorate([
    Prop({ type: String, enum: ['success', 'failure'], required: true }),
    __metadata("design:type", String)
], SecurityEvent.prototype, "outcome", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], SecurityEvent.prototype, "at", void 0);
__decorate([
    Prop({ type: Types.ObjectId, default: null }),
    __metadata("design:type", Object)
], SecurityEvent.prototype, "user", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], SecurityEvent.prototype, "session", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], SecurityEvent.prototype, "ip", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], SecurityEvent.prototype, "request_id", void 0);
__decorate([
    Prop({ type: String, default: null }),
    __metadata("design:type", Object)
], SecurityEvent.prototype, "detail", void 0);
SecurityEvent = __decorate([
    Schema({ collection: 'security_events', versionKey: false })
], SecurityEvent);
export { SecurityEvent };
export const SecurityEventSchema = SchemaFactory.createForClass(SecurityEvent);
SecurityEventSchema.index({ at: -1 }, { expireAfterSeconds: RETENTION_SECONDS });
SecurityEventSchema.index({ user: 1, at: -1 });
SecurityEventSchema.index({ kind: 1, at: -1 });
//# sourceMappingURL=security-event.schema.js.map