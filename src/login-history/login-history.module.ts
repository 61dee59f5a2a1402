import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SessionReader } from '../security/index.js';
import { KnownDevice, KnownDeviceSchema } from './device/known-device.schema.js';
import { KnownDevicesRepository } from './device/known-devices.repository.js';
import { LoginHistoryController } from './history/login-history.controller.js';
import { LoginHistoryRepository } from './history/login-history.repository.js';
import { LoginHistoryService } from './history/login-history.service.js';
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
@Global()
@Module({
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
    LoginHistoryService,
    SessionsRepository,
    { provide: SessionReader, useExisting: SessionsRepository },
    Sessions,
    LocationFinder,
    KnownDevicesRepository,
  ],
  exports: [SessionReader, SessionsRepository, Sessions, LocationFinder, KnownDevicesRepository],
})
export class LoginHistoryModule {}
