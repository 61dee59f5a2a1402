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
const RETENTION_SECONDS = 7_776_000;
/** A device and network from which an account was used. It outlives the session, else every login after a logout were a stranger. */
let KnownDevice = class KnownDevice {
    user;
    /** Browser and operating system by name, device class, network: no version, for programs update themselves. */
    fingerprint;
    last_seen_at;
};
__decorate([
    Prop({ type: Types.ObjectId, required: true }),
    __metadata("design:type", Types.ObjectId)
], KnownDevice.prototype, "user", void 0);
__decorate([
    Prop({ type: String, required: true }),
    __metadata("design:type", String)
], KnownDevice.prototype, "fingerprint", void 0);
__decorate([
    Prop({ type: Date, required: true }),
    __metadata("design:type", Date)
], KnownDevice.prototype, "last_seen_at", void 0);
KnownDevice = __decorate([
    Schema({ collection: 'known_devices', versionKey: false })
], KnownDevice);
export { KnownDevice };
export const KnownDeviceSchema = SchemaFactory.createForClass(KnownDevice);
KnownDeviceSchema.index({ user: 1, fingerprint: 1 }, { unique: true });
KnownDeviceSchema.index({ last_seen_at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });
//# sourceMappingURL=known-device.schema.js.map