import { Controller, Get } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, type Access } from '../../src/common/access/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { Module } from '@nestjs/common';

@Controller('open')
class UndeclaredController {
  @Get()
  read(): string {
    return 'open';
  }
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}

/** Who may call what of the service's own routes. A change of this list is a change of the contract. */
const ROUTES: Record<string, string> = {
  'RegistrationController.register': 'none, limit auth',
  'EmailVerificationController.verifyOtp': 'none, limit auth',
  'EmailVerificationController.resendOtp': 'none, limit auth',
  'LoginController.login': 'none, limit auth',
  'TokenRefreshController.refreshToken': 'none, limit auth',
  'LogoutController.logout': 'bearer, limit auth',
  'PasswordResetController.forgotPassword': 'none, limit auth',
  'PasswordResetController.resetPassword': 'none, limit auth',
  'ItsNotMeController.itsNotMe': 'bearer, limit auth',
  'LoginReportController.reportLogin': 'none, limit auth',
  'LoginReportPageController.askWhetherToReport': 'none, limit general',
  'LoginReportPageController.reportLogin': 'none, limit auth',
  'ProfileController.getProfile': 'key+bearer, limit general',
  'ProfileController.changeProfile': 'key+bearer, limit general',
  'PasswordChangeController.changePassword': 'key+bearer, limit general',
  'LoginHistoryController.listLoginHistory': 'key+bearer, limit general',
  'LoginHistoryController.getLoginStatistics': 'key+bearer, limit general',
  'LoginHistoryController.endSession': 'key+bearer, limit general',
  'LoginHistoryController.listUserLoginHistory': 'key+bearer+admin, limit general',
  'UsersAdministrationController.listUsers': 'key+bearer+admin, limit general',
  'UsersAdministrationController.getUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.changeUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.deleteUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.restoreUser': 'key+bearer+admin, limit general',
  'SecurityEventsController.listSecurityEvents': 'key+bearer+admin, limit general',
  'HealthController.getLiveness': 'none, limit none',
  'HealthController.getReadiness': 'none, limit none',
  'MetricsController.getMetrics': 'none, limit none',
  'ListingController.listKit': 'none, limit none',
  'InboxController.getInbox': 'none, limit none',
  'InboxController.getNextMail': 'none, limit none',
  'ClockController.getClock': 'none, limit none',
  'ClockController.moveClock': 'none, limit none',
  'ClockController.resetClock': 'none, limit none',
  'FaultsController.getFaults': 'none, limit none',
  'FaultsController.setFaults': 'none, limit none',
  'FaultsController.clearFaults': 'none, limit none',
  'CleanSlateController.deleteState': 'none, limit none',
};

describe('Routes', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('declare who may call them', () => {
    const scanner = new MetadataScanner();
    const found: Record<string, string> = {};
    for (const { instance, metatype } of test.app.get(DiscoveryService, { strict: false }).getControllers()) {
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => unknown>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name] as () => unknown;
        if (!Reflect.hasMetadata(PATH_METADATA, handler)) continue;
        const access = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
        const credentials = [access?.apiKey && 'key', access?.bearer && 'bearer', access?.role]
          .filter(Boolean)
          .join('+');
        found[`${metatype?.name}.${name}`] = access ? `${credentials || 'none'}, limit ${access.limit}` : 'undeclared';
      }
    }
    expect(found).toMatchObject(ROUTES);
    expect(Object.entries(found).filter(([, access]) => access === 'undeclared')).toEqual([]);
  });

  it('that do not are refused when the service starts, with a word on what to do', async () => {
    await expect(startTestApp({ extensions: [UndeclaredModule] })).rejects.toThrow(
      /UndeclaredController\.read.*@Public\(\)/s,
    );
  });
});
