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
/** Why a session ended, kept for as long as its tokens are about, so that a client can be told. Nothing else of it. */
let EndedSession = class EndedSession {
    /** The session's id. */
    _id;
    reason;
    purge_at;
};
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], EndedSession.prototype, "reason", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], EndedSession.prototype, "purge_at", void 0);
EndedSession = __decorate([
    Schema({ collection: 'ended_sessions', versionKey: false })
], EndedSession);
export { EndedSession };
export const EndedSessionSchema = SchemaFactory.createForClass(EndedSession);
EndedSessionSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
//# sourceMappingURL=ended-session.schema.js.map