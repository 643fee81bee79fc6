// Pickles as Python writes them.
#pragma once
#include <string>

namespace zerocts::read {

/// [None, True, False, 7, 300, -70000, 2**40, 2**70, 1.5, 'w', b'x'], protocol 4
inline std::string PickleOfScalars() {
  return std::string(
      "\200\004\2256\000\000\000\000\000\000\000]\224(N\210\211K\007M,\001J\220\356\376\377\212\006\000\000"
      "\000\000\000\001\212\011\000\000\000\000\000\000\000\000@G\077\370\000\000\000\000\000\000\214\001w"
      "\224C\001x\224e.",
      65);
}

/// {'list': [1, [2]], 'tuple': (1, 2), 'ordered': OrderedDict(a=1, b=2), 'set': {3}}, protocol 5
inline std::string PickleOfContainers() {
  return std::string(
      "\200\005\225j\000\000\000\000\000\000\000}\224(\214\004list\224]\224(K\001]\224K\002ae\214\005tuple"
      "\224K\001K\002\206\224\214\007ordered\224\214\013collections\224\214\013OrderedDict\224\223\224)R"
      "\224(\214\001a\224K\001\214\001b\224K\002u\214\003set\224\217\224(K\003\220u.",
      117);
}

/// {'w': torch.Tensor of shape (3, 5)} as in data.pkl of torch.save, protocol 2
inline std::string PickleOfTensor() {
  return std::string(
      "\200\002}q\000X\001\000\000\000wq\001ctorch._utils\012_rebuild_tensor_v2\012q\002((X\007\000\000\000"
      "storageq\003ctorch\012FloatStorage\012q\004X\001\000\000\0000q\005X\003\000\000\000cpuq\006K\017tq"
      "\007QK\000K\003K\005\206q\010K\005K\001\206q\011\211ccollections\012OrderedDict\012q\012)Rq\013tq"
      "\014Rq\015s.",
      166);
}

}  // namespace zerocts::read
