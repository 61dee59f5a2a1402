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
import { Clock } from '../../common/clock/index.js';
import { KnownDevice } from './known-device.schema.js';
/** Remembers from where an account is used. */
let KnownDevicesRepository = class KnownDevicesRepository {
    model;
    clock;
    constructor(model, clock) {
        this.model = model;
        this.clock = clock;
    }
    /**
     * Records that the account was used from there.
     * @returns whether that is worth a word to the owner: a device and network never seen, on an account that has others.
     * Of parallel sightings of one newcomer exactly one is told so.
     */
    async see(sighting) {
        const { user, fingerprint } = keyOf(sighting);
        const seen = await this.model.updateOne({ user, fingerprint }, { $set: { last_seen_at: this.clock.now() } }, { upsert: true });
        if (seen.upsertedCount === 0)
            return false;
        return (await this.model.countDocuments({ user }).limit(2)) > 1;
    }
    /** @returns the fingerprint under which the device is known, or null */
    async findKnown(sighting) {
        const key = keyOf(sighting);
        return (await this.model.exists(key)) === null ? null : key.fingerprint;
    }
};
KnownDevicesRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(KnownDevice.name)),
    __metadata("design:paramtypes", [Function, Clock])
], KnownDevicesRepository);
export { KnownDevicesRepository };
function keyOf({ userId, device, network }) {
    const parts = [device?.browser.name, device?.os.name, device?.source, network];
    return { user: new Types.ObjectId(userId), fingerprint: parts.map((part) => part ?? '?').join('|') };
}
//# sourceMappingURL=known-devices.repository.js.map