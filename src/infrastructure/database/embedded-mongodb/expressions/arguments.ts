/** What operators, accumulators and functions of windows take by name; a question mark stands behind what may be left out. */
export const NAMED_ARGUMENTS: Record<string, string> = {
  $bottom: 'sortBy output',
  $bottomN: 'n sortBy output',
  $cond: 'if then else',
  $dateFromString: 'dateString format? timezone? onError? onNull?',
  $dateToString: 'date format? timezone? onNull?',
  $derivative: 'input unit?',
  $expMovingAvg: 'input N? alpha?',
  $filter: 'input cond as? limit?',
  $firstN: 'input n',
  $integral: 'input unit?',
  $lastN: 'input n',
  $let: 'vars in',
  $ltrim: 'input chars?',
  $map: 'input in as?',
  $maxN: 'input n',
  $median: 'input method',
  $minN: 'input n',
  $percentile: 'input p method',
  $reduce: 'input initialValue in',
  $regexFind: 'input regex options?',
  $regexFindAll: 'input regex options?',
  $regexMatch: 'input regex options?',
  $replaceAll: 'input find replacement',
  $replaceOne: 'input find replacement',
  $rtrim: 'input chars?',
  $shift: 'output by default?',
  $sortArray: 'input sortBy',
  $switch: 'branches default?',
  $top: 'sortBy output',
  $topN: 'n sortBy output',
  $trim: 'input chars?',
  $zip: 'inputs useLongestLength? defaults?',
};

/** How many arguments operators take that know them by their order: at least, at most. */
export const COUNTED_ARGUMENTS: ReadonlyMap<string, number[]> = new Map(
  Object.entries({
    '1 1':
      '$abs $acos $acosh $allElementsTrue $anyElementTrue $arrayToObject $asin $asinh $atan $atanh $binarySize $bitNot $bsonSize $ceil $cos $cosh $degreesToRadians $exp $first $floor $isArray $isNumber $last $ln $log10 $not $objectToArray $radiansToDegrees $reverseArray $sin $sinh $size $sqrt $strLenBytes $strLenCP $tan $tanh $dayOfMonth $dayOfWeek $dayOfYear $hour $isoDayOfWeek $isoWeek $isoWeekYear $millisecond $minute $month $second $week $year $toBool $toDate $toDecimal $toDouble $toInt $toLong $toLower $toObjectId $toString $toUpper $type',
    '1 2': '$round $trunc',
    '2 2':
      '$arrayElemAt $atan2 $cmp $divide $eq $gt $gte $in $log $lt $lte $mod $ne $pow $setDifference $setIsSubset $split $strcasecmp $subtract',
    '2 3': '$range $slice',
    '2 4': '$indexOfArray $indexOfBytes $indexOfCP',
    '2 Infinity': '$ifNull $setEquals',
    '3 3': '$cond $substr $substrBytes $substrCP',
  }).flatMap(([bounds, names]) => names.split(' ').map((name) => [name, bounds.split(' ').map(Number)] as const)),
);
