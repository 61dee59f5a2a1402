var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SessionReader } from '../security/index.js';
import { KnownDevice, KnownDeviceSchema } from './device/known-device.schema.js';
import { KnownDevicesRepository } from './device/known-devices.repository.js';
import { LoginHistoryController } from './history/login-history.controller.js';
import { LoginHistoryRepository } from './history/login-history.repository.js';
import { LocationFinder } from './location/location-finder.js';
import { EndedSession, EndedSessionSchema } from './sessions/ended-session.schema.js';
import { LoginHistory, LoginHistorySchema } from './sessions/login-history.schema.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { Sessions } from './sessions/sessions.js';
/**
 * Owns the session record: each login with its device and place, which is the session until it is deleted. Exports
 * Sessions (end them), SessionsRepository (insert, rotate), LocationFinder and KnownDevicesRepository, and provides the guards'
 * port SessionReader; global for the sake of that port.
 */
let LoginHistoryModule = class LoginHistoryModule {
};
LoginHistoryModule = __decorate([
    Global(),
    Module({
        imports: [
            MongooseModule.forFeature([
                { name: LoginHistory.name, schema: LoginHistorySchema },
                { name: EndedSession.name, schema: EndedSessionSchema },
                { name: KnownDevice.name, schema: KnownDeviceSchema },
            ]),
        ],
        controllers: [LoginHistoryController],
        providers: [
            LoginHistoryRepository,
            SessionsRepository,
            { provide: SessionReader, useExisting: SessionsRepository },
            Sessions,
            LocationFinder,
            KnownDevicesRepository,
        ],
        exports: [SessionReader, SessionsRepository, Sessions, LocationFinder, KnownDevicesRepository],
    })
], LoginHistoryModule);
export { LoginHistoryModule };
//# sourceMappingURL=login-history.module.js.map