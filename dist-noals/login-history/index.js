export { describeDevice, parseDevice, userAgentOf } from './device/device.js';
export { KnownDevicesRepository } from './device/known-devices.repository.js';
export { LocationFinder } from './location/location-finder.js';
export { describeLocation, networkOf } from './location/network.js';
export { LoginHistoryModule } from './login-history.module.js';
export { SessionsRepository } from './sessions/sessions.repository.js';
export { Sessions } from './sessions/sessions.js';
//# sourceMappingURL=index.js.map