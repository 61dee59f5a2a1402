var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { IsPersonName, IsUsername } from '../fields/account-fields.decorator.js';
/** What is left out stays as it is. */
export class ChangeProfileDto {
    last_name;
    first_name;
    username;
}
__decorate([
    IsPersonName('Lovelace', { required: false }),
    __metadata("design:type", String)
], ChangeProfileDto.prototype, "last_name", void 0);
__decorate([
    IsPersonName('Ada', { required: false }),
    __metadata("design:type", String)
], ChangeProfileDto.prototype, "first_name", void 0);
__decorate([
    IsUsername({ required: false }),
    __metadata("design:type", String)
], ChangeProfileDto.prototype, "username", void 0);
//# sourceMappingURL=change-profile.dto.js.map