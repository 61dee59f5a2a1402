export { describeDevice, type Device, parseDevice, userAgentOf } from './device/device.js';
export { KNOWN_DEVICE_RETENTION_MS } from './device/known-device.schema.js';
export { KnownDevicesRepository } from './device/known-devices.repository.js';
export { type Location, LocationFinder } from './location/location-finder.js';
export { describeLocation, networkOf } from './location/network.js';
export { LoginHistoryRepository } from './history/login-history.repository.js';
export { LoginHistoryModule } from './login-history.module.js';
export { type SessionGeneration, SessionsRepository } from './sessions/sessions.repository.js';
export { type RunTransaction, Sessions } from './sessions/sessions.js';
