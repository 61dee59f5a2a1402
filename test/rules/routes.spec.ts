import { Controller, Get, Module, Post } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, type Access, AdminOnly, Authenticated, Protected, Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { CurrentPrincipal, type Principal } from '../../src/security/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

@Controller('open')
class UndeclaredController {
  @Get()
  read(): string {
    return 'open';
  }

  @Public()
  @Get('declared')
  declared(): string {
    return 'open, and says so';
  }

  @Post(':id/close')
  close(): void {}
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}

@Protected()
@Controller('closed')
class DeclaredController {
  @Get()
  @Operation({ summary: 'Look in', description: 'From outside.', message: 'Closed' })
  lookIn(): string {
    return 'closed';
  }

  @Public()
  @Get('bell')
  @Operation({ summary: 'Ring', description: 'From outside.', message: 'Rung' })
  ring(): string {
    return 'rung';
  }
}

@Module({ controllers: [DeclaredController] })
class DeclaredModule {}

const DESCRIPTION = { summary: 'Look in', description: 'From outside.', message: 'Seen' };

@Controller('bridges')
class NamelessController {
  @Protected()
  @Get()
  @Operation(DESCRIPTION)
  cross(@CurrentPrincipal() _caller: Principal): void {}

  @Public()
  @Get('blindfold')
  @Operation(DESCRIPTION)
  crossBlindfold(@CurrentPrincipal() _caller: Principal): void {}
}

@AdminOnly()
abstract class TowerBase {
  @Get('top')
  @Operation(DESCRIPTION)
  climb(): void {}

  @Authenticated()
  @Get('middle')
  @Operation(DESCRIPTION)
  climbHalf(): void {}
}

@Controller('towers')
class HeirController extends TowerBase {
  @Get('cellar')
  @Operation(DESCRIPTION)
  descend(): void {}
}

@Public()
@Controller('ruins')
class SpendthriftController extends TowerBase {
  @Get('ruined-cellar')
  @Operation(DESCRIPTION)
  fall(): void {}
}

/**
 * Who may call what of the service's own routes. A change of this list is a change of the contract. Controllers that are not named
 * here are of modules that extend the service.
 */
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
  'LoginHistoryController.endUserSessions': 'key+bearer+admin, limit general',
  'LoginHistoryController.endUserSession': 'key+bearer+admin, limit general',
  'ApiKeysController.listApiKeys': 'key+bearer+admin, limit general',
  'ApiKeysController.issueApiKey': 'key+bearer+admin, limit general',
  'ApiKeysController.rotateApiKey': 'key+bearer+admin, limit general',
  'ApiKeysController.revokeApiKey': 'key+bearer+admin, limit general',
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
  'RolesController.changeRole': 'none, limit none',
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
        const access = (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, metatype as object)) as
          Access | undefined;
        const credentials = [access?.apiKey && 'key', access?.bearer && 'bearer', ...(access?.roles ?? [])]
          .filter(Boolean)
          .join('+');
        found[`${metatype?.name}.${name}`] = access ? `${credentials || 'none'}, limit ${access.limit}` : 'undeclared';
      }
    }
    const controllerOf = (route: string) => route.split('.')[0];
    const ours = new Set(Object.keys(ROUTES).map(controllerOf));
    const ofOurs = Object.entries(found).filter(([route]) => ours.has(controllerOf(route)));
    expect(Object.fromEntries(ofOurs), 'a new route is to be added to ROUTES').toEqual(ROUTES);
    expect(Object.entries(found).filter(([, access]) => access === 'undeclared')).toEqual([]);
  });

  it('that do not are refused when the service starts, with a word on what to do', async () => {
    const start = startTestApp({ extensions: [UndeclaredModule] });
    await expect(start).rejects.toThrowErrorMatchingInlineSnapshot(`
      [Error: Routes that do not say who may call them:
        GET /open (UndeclaredController.read)
        POST /open/:id/close (UndeclaredController.close)
      Put one of these on each of them, from src/common/access:
        @Protected()      API key and bearer token: the ordinary route of an application
        @AdminOnly()      the same, and the role of administrator
        @Authenticated()  a bearer token alone
        @ApiKeyOnly()     an API key alone: for callers that are services
        @Public()         nothing: anybody may call it
      It sets the guards, the limit, and what the OpenAPI document says of both. On a class it is for the handlers which that class
      itself has: one that it inherits needs its own.]
    `);
  });

  it.each([
    [
      NamelessController,
      /^Routes that ask for the principal .+:\n {2}GET \/bridges\/blindfold .+\n.+@CurrentPrincipal\(\)\.$/,
    ],
    [
      [HeirController, SpendthriftController],
      /^Routes that do not say .+:\n {2}GET \/towers\/cellar .+\n {2}GET \/towers\/top .+\n {2}GET \/ruins\/top .+\nPut/,
    ],
  ])('that would contradict each other are refused as well', async (controllers, message) => {
    const extension = { module: class {}, controllers: [controllers].flat() };
    await expect(startTestApp({ extensions: [extension] })).rejects.toThrow(message);
  });

  it('may say so for all of a controller, and otherwise for one of it', async () => {
    const extended = await startTestApp({ extensions: [DeclaredModule] });
    expect((await extended.client().get('/closed')).body.code).toBe('invalid_api_key');
    expect((await extended.client().get('/closed/bell')).status).toBe(200);
    await extended.close();
  });

  it('that say two things are refused when they are loaded', () => {
    const declareTwice = () => {
      class ContradictoryController {
        @Public()
        @Protected()
        read(): void {}
      }
      return ContradictoryController;
    };
    expect(declareTwice).toThrow('ContradictoryController.read says twice who may call it');
  });
});
