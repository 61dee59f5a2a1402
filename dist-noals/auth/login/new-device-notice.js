var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var NewDeviceNotice_1;
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import { describeDevice, describeLocation, KnownDevicesRepository, networkOf, } from '../../login-history/index.js';
import { forgotPasswordUrl, formatMoment, MailOutbox, NOTICE_LIFETIME_MS } from '../../mail/index.js';
/** Tells the owner of a login from a device and network not seen on the account before. It never fails a login. */
let NewDeviceNotice = NewDeviceNotice_1 = class NewDeviceNotice {
    knownDevices;
    outbox;
    config;
    logger = new Logger(NewDeviceNotice_1.name);
    constructor(knownDevices, outbox, config) {
        this.knownDevices = knownDevices;
        this.outbox = outbox;
        this.config = config;
    }
    async consider({ userId, email, ip, device, location, loggedInAt }) {
        try {
            const isNew = await this.knownDevices.see({ userId, device, network: networkOf(ip, location) });
            if (!isNew)
                return;
            await this.outbox.post({
                kind: 'new-device',
                to: email,
                context: {
                    device: describeDevice(device),
                    location: describeLocation(location),
                    ip,
                    logged_in_at: formatMoment(loggedInAt),
                    reset_url: forgotPasswordUrl(this.config.mail.frontendUrl),
                },
                expiresAt: new Date(loggedInAt.getTime() + NOTICE_LIFETIME_MS),
            });
        }
        catch (error) {
            this.logger.warn({ err: error }, 'A new device was not announced');
        }
    }
};
NewDeviceNotice = NewDeviceNotice_1 = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [KnownDevicesRepository,
        MailOutbox,
        Config])
], NewDeviceNotice);
export { NewDeviceNotice };
//# sourceMappingURL=new-device-notice.js.map